# Applies SYMS to each of INPUTS (separated by |); the results are OUTPUT1.o, OUTPUT2.o, ...
string(REPLACE "|" ";" inputs "${INPUTS}")
set(index 0)
foreach(input IN LISTS inputs)
  math(EXPR index "${index} + 1")
  execute_process(COMMAND "${OBJCOPY}" "--redefine-syms=${SYMS}" "${input}" "${OUTPUT}${index}.o"
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
