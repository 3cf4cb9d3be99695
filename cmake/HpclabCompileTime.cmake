# ccache makes the second build of a checkout cheap; it is used where it is installed.
find_program(HPCLAB_CCACHE ccache)
if(HPCLAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HPCLAB_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${HPCLAB_CCACHE})
endif()

# The headers that nearly every file reads through ours are parsed once a target, which halves a build from nothing. Not
# together with ccache: there each file is found again by itself, and missing includes are seen. Not where warnings are
# errors: g++ 12 then finds more of what is not there in its own std::string.
set(HPCLAB_PRECOMPILED_HEADERS AUTO CACHE STRING "Precompiled headers: ON, OFF or AUTO (on without ccache and -Werror)")
set_property(CACHE HPCLAB_PRECOMPILED_HEADERS PROPERTY STRINGS AUTO ON OFF)
set(HPCLAB_PRECOMPILE OFF)
if(HPCLAB_PRECOMPILED_HEADERS STREQUAL "AUTO")
  if(NOT HPCLAB_CCACHE AND NOT HPCLAB_WARNINGS_AS_ERRORS)
    set(HPCLAB_PRECOMPILE ON)
  endif()
elseif(HPCLAB_PRECOMPILED_HEADERS)
  set(HPCLAB_PRECOMPILE ON)
  unset(CMAKE_CXX_COMPILER_LAUNCHER)
endif()
