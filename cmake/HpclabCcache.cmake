# ccache makes the second build of a checkout cheap; it is used where it is installed.
find_program(HPCLAB_CCACHE ccache)
if(HPCLAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HPCLAB_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${HPCLAB_CCACHE})
endif()
