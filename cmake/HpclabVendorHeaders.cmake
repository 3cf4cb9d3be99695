# NVTX and CUPTI are used through their headers alone: NVTX is header-only, CUPTI is loaded at run time. So
# they are looked for in the toolkit and beside it, also in builds without nvcc.
set(toolkits ${CUDAToolkit_INCLUDE_DIRS} $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include /usr/local/cuda/include)
find_path(HPCLAB_NVTX_INCLUDE nvtx3/nvtx3.hpp HINTS ${toolkits} DOC "Folder with nvtx3/nvtx3.hpp")
find_path(HPCLAB_CUPTI_INCLUDE cupti_range_profiler.h HINTS ${toolkits}
  PATH_SUFFIXES . ../extras/CUPTI/include DOC "Folder with cupti_range_profiler.h")
find_library(HPCLAB_CUPTI_LIBRARY cupti HINTS ${CUDAToolkit_LIBRARY_DIR} ${HPCLAB_CUPTI_INCLUDE}/.. /usr/local/cuda
  PATH_SUFFIXES lib64 lib ../lib64 DOC "CUPTI as it lies in the toolkit; a second place to load it from")
if(HPCLAB_NVTX_INCLUDE)
  message(STATUS "NVTX: ranges for Nsight Systems, headers in ${HPCLAB_NVTX_INCLUDE}")
else()
  message(STATUS "NVTX: off (nvtx3/nvtx3.hpp not found); --trace works without it")
endif()
if(HPCLAB_SANITIZE)
  # CUPTI opens a library of its own with RTLD_DEEPBIND, at which the sanitizers' runtime ends the program.
  set(HPCLAB_CUPTI_INCLUDE "")
  message(STATUS "CUPTI: off, sanitizers cannot run it")
elseif(HPCLAB_CUPTI_INCLUDE)
  message(STATUS "CUPTI: GPU counters, headers in ${HPCLAB_CUPTI_INCLUDE}, library loaded at run time")
else()
  message(STATUS "CUPTI: off (cupti_range_profiler.h not found); no GPU counters")
endif()
