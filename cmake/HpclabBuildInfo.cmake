# Script (cmake -P): writes build_info.cpp with the git revision of now. configure_file leaves an unchanged
# file alone, so that a build without a new commit compiles nothing.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE HPCLAB_GIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(HPCLAB_GIT "unknown")
endif()
configure_file(${SOURCE_DIR}/apps/hpclab/build_info.cpp.in ${OUTPUT} @ONLY)
