import { JqAbort, JqError } from "../errors.ts";
import { go } from "../evaluate/filter.ts";
import { describe } from "../tojson.ts";
import { always, type Natives, required, value0, value1 } from "./native.ts";
import { passThrough } from "./selection.ts";

/** What a program may know and do outside its input: here nothing, so most of these answer "none". */
export const environmentBuiltins: Natives = {
  "env/0": value0(() => ({})),
  "input_filename/0": value0(() => null),
  "input_line_number/0": value0(() => 0),
  "get_search_list/0": value0(() => []),
  "have_literal_numbers/0": value0(() => true),
  "have_decnum/0": value0(() => false),
  "now/0": value0((_input, run) => run.now()),
  "debug/0": passThrough,
  "stderr/0": passThrough,
  "debug/1": {
    isSingle: always,
    build: ([message]) => ({
      one: () => {
        const messages = required(message).each;
        return (value, env) => {
          messages(value, env, () => go);
          return value;
        };
      },
      paths: () => {
        const messages = required(message).each;
        return (path, value, env, emit) => {
          messages(value, env, () => go);
          return emit(path, value);
        };
      },
    }),
  },
  "halt/0": value0(() => {
    throw new JqAbort("Program called halt");
  }),
  "halt_error/0": value0((input) => {
    throw new JqAbort(input);
  }),
  "halt_error/1": value1((input, code) => {
    if (typeof code !== "number") throw new JqError(`${describe(code)} halt_error/1: number required`);
    throw new JqAbort(input);
  }),
};
