# One interface target carries the language level, warnings and sanitizers of every hpclab target.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_library(hpclab_settings INTERFACE)
add_library(hpclab::settings ALIAS hpclab_settings)
target_compile_features(hpclab_settings INTERFACE cxx_std_20)
target_include_directories(hpclab_settings INTERFACE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR})
target_compile_options(hpclab_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion>
  # g++ 12 reports these two in its own std::string (GCC bugs 105329, 105562).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict -Wno-maybe-uninitialized>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${HPCLAB_WARNINGS_AS_ERRORS}>>:-Werror>)
find_package(Threads REQUIRED)
target_link_libraries(hpclab_settings INTERFACE Threads::Threads)
if(HPCLAB_SANITIZE)
  # Without the checks of every single pointer use (null, alignment, type, size of the object): they are a third of the
  # time to compile, and the address sanitizer stops at what they would mostly find.
  set(sanitize -fsanitize=${HPCLAB_SANITIZE} -fno-sanitize=null,alignment,vptr,object-size)
  target_compile_options(hpclab_settings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:${sanitize} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(hpclab_settings INTERFACE -fsanitize=${HPCLAB_SANITIZE})
endif()
if(HPCLAB_COVERAGE)
  target_compile_options(hpclab_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--coverage -O0>)
  target_link_options(hpclab_settings INTERFACE --coverage)
endif()
