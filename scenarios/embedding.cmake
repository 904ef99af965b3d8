# SPDX-License-Identifier: MIT
#
# Makes what ships inside the program (scenario library, policies, schemas) a generated source of
# `target`. A file added, removed or changed is embedded again by the next build.
function(squall_embed_files target)
  file(GLOB_RECURSE paths CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
       scenarios/library/*.json scenarios/policies/*.json scenarios/*.schema.json)
  list(SORT paths)
  list(JOIN paths "\n" lines)
  set(list ${PROJECT_BINARY_DIR}/generated/embedded_files.txt)
  set(output ${PROJECT_BINARY_DIR}/generated/embedded_files.cpp)
  set(script ${PROJECT_SOURCE_DIR}/scenarios/embed.cmake)
  file(CONFIGURE OUTPUT ${list} CONTENT "${lines}\n" @ONLY)  # Untouched when nothing changed.
  list(TRANSFORM paths PREPEND ${PROJECT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DLIST=${list}
            -P ${script}
    DEPENDS ${list} ${script} ${paths}
    COMMENT "Embedding scenarios, policies and schemas"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
