# ccache makes the second build of a checkout cheap; it is used where it is installed.
find_program(HPCLAB_CCACHE ccache)
if(HPCLAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HPCLAB_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${HPCLAB_CCACHE})
endif()

# The headers that nearly every file reads through ours are parsed once a target, which halves a build from nothing. Not
# together with ccache, which finds each file again by itself.
set(HPCLAB_PRECOMPILED_HEADERS AUTO CACHE STRING "Precompiled headers: ON, OFF or AUTO (on without ccache)")
set_property(CACHE HPCLAB_PRECOMPILED_HEADERS PROPERTY STRINGS AUTO ON OFF)
set(HPCLAB_PRECOMPILE OFF)
if(HPCLAB_PRECOMPILED_HEADERS STREQUAL "AUTO")
  if(NOT HPCLAB_CCACHE)
    set(HPCLAB_PRECOMPILE ON)
  endif()
elseif(HPCLAB_PRECOMPILED_HEADERS)
  set(HPCLAB_PRECOMPILE ON)
  unset(CMAKE_CXX_COMPILER_LAUNCHER)
endif()
if(HPCLAB_PRECOMPILE)
  # g++ 12 then reports what is not there in its own std::string (GCC bugs 105329, 105651): told, no error. Builds with
  # ccache still refuse.
  set(of_the_optimiser -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=stringop-overread
    -Wno-error=use-after-free -Wno-error=free-nonheap-object)
  target_compile_options(hpclab_settings INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:${of_the_optimiser}>)
endif()
