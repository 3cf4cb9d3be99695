# Precompiled headers, instruction sets and libraries of the host code.

# A file whose name ends in one of these suffixes is compiled for that instruction set; callers check the
# CPU first. Such files include no standard templates, so that no shared inline function is compiled with these flags.
set(HPCLAB_FLAGS_scalar -fno-tree-vectorize -fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns)
set(HPCLAB_FLAGS_scalarfma ${HPCLAB_FLAGS_scalar} -mfma -ffp-contract=off)
set(HPCLAB_FLAGS_avx2 -mavx2 -mfma -mprefer-vector-width=256)
set(HPCLAB_FLAGS_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)
set(HPCLAB_FLAGS_avx512bf16 ${HPCLAB_FLAGS_avx512} -mavx512bf16)
set(HPCLAB_FLAGS_avx512vnni ${HPCLAB_FLAGS_avx512} -mavx512vnni)
set(HPCLAB_FLAGS_avx512fp16 ${HPCLAB_FLAGS_avx512} -mavx512fp16)

function(hpclab_instruction_set_flags)
  foreach(source IN LISTS ARGN)
    if(source MATCHES "_(scalar|scalarfma|avx2|avx512|avx512bf16|avx512vnni|avx512fp16)\\.cpp$")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${HPCLAB_FLAGS_${CMAKE_MATCH_1}})
      set_property(SOURCE ${source} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# hpclab_precompile(TARGET headers...): the headers given and the common ones are parsed once, where HPCLAB_PRECOMPILE is on.
function(hpclab_precompile target)
  if(HPCLAB_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <filesystem> <functional> <map> <string> <vector>
      <fmt/format.h> <nlohmann/json.hpp>)
  endif()
endfunction()

# hpclab_library(NAME [PUBLIC libs...]): an object-free static library of every .cpp of this folder.
function(hpclab_library name)
  cmake_parse_arguments(ARG "" "" "PUBLIC" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  hpclab_instruction_set_flags(${sources})
  add_library(hpclab_${name} STATIC ${sources})
  add_library(hpclab::${name} ALIAS hpclab_${name})
  target_link_libraries(hpclab_${name} PUBLIC hpclab::settings ${ARG_PUBLIC})
  hpclab_precompile(hpclab_${name})
  set_property(GLOBAL APPEND PROPERTY HPCLAB_LIBRARIES hpclab_${name})
endfunction()

# hpclab_study(LAB STUDY [USES STUDY...]): registers lib/LAB/STUDY. Its sources are the folder's .cpp
# files; the registry calls hpclab::LAB::STUDY::study() from a generated list. USES names studies of the
# same lab, registered before, whose code this one calls.
function(hpclab_study lab study)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/${lab}/${study}/*.cpp)
  hpclab_instruction_set_flags(${sources})
  set(target hpclab_${lab}_${study})
  add_library(${target} STATIC ${sources})
  target_link_libraries(${target} PUBLIC hpclab::core hpclab::formats hpclab::machine hpclab::operators)
  if(TARGET hpclab_${lab})
    target_link_libraries(${target} PUBLIC hpclab_${lab})
  endif()
  hpclab_precompile(${target})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(${target} PUBLIC hpclab_${lab}_${used})
  endforeach()
  if(EXISTS ${PROJECT_SOURCE_DIR}/cuda/${lab}/${study})
    target_link_libraries(${target} PUBLIC hpclab::kernels_${lab}_${study})  # defined by cuda/
  endif()
  set_property(GLOBAL APPEND PROPERTY HPCLAB_STUDIES ${lab}/${study})
  set_property(GLOBAL APPEND PROPERTY HPCLAB_STUDY_TARGETS ${target})
  set_property(GLOBAL APPEND PROPERTY HPCLAB_STUDY_TARGETS_${lab} ${target})
endfunction()
