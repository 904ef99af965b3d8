# SPDX-License-Identifier: MIT
#
# squall_embed_files(<folder> <patterns>...)
#
# Makes files that ship inside the program a generated source of squall_<folder>, which defines
# squall::<folder>::embedded_files() as <folder>/embedded_files.hpp declares it. A file added,
# removed or changed is embedded again by the next build.
function(squall_embed_files folder)
  file(GLOB_RECURSE paths CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${ARGN})
  list(SORT paths)
  list(JOIN paths "\n" lines)
  set(list ${PROJECT_BINARY_DIR}/generated/${folder}/embedded_files.txt)
  set(output ${PROJECT_BINARY_DIR}/generated/${folder}/embedded_files.cpp)
  set(script ${PROJECT_SOURCE_DIR}/scenarios/embed.cmake)
  file(CONFIGURE OUTPUT ${list} CONTENT "${lines}\n" @ONLY)  # Untouched when nothing changed.
  list(TRANSFORM paths PREPEND ${PROJECT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DLIST=${list}
            -DFOLDER=${folder} -P ${script}
    DEPENDS ${list} ${script} ${paths}
    COMMENT "Embedding what ships with ${folder}"
    VERBATIM)
  # A target of its own, without dependencies: a command waits for all that its target links.
  add_library(squall_${folder}_files OBJECT ${output})
  target_compile_features(squall_${folder}_files PRIVATE cxx_std_20)
  target_include_directories(squall_${folder}_files PRIVATE ${PROJECT_SOURCE_DIR})
  target_sources(squall_${folder} PRIVATE $<TARGET_OBJECTS:squall_${folder}_files>)
endfunction()
