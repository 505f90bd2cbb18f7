# Writes "name PREFIXname" for every global symbol that INPUT defines, as objcopy reads it.
execute_process(COMMAND "${NM}" --defined-only --extern-only --format=posix "${INPUT}"
  OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${table}")
set(list "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" name "${line}")
  string(APPEND list "${name} ${PREFIX}${name}\n")
endforeach()
if(NOT list)
  message(FATAL_ERROR "${INPUT} defines nothing")
endif()
file(WRITE "${OUTPUT}" "${list}")
