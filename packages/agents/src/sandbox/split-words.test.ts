import { expect, test } from "vitest";
import { splitWords } from "./split-words.ts";

test.each([
  ["ls -la  /work", ["ls", "-la", "/work"]],
  [`echo "a b" 'c "d"' e\\ f`, ["echo", "a b", 'c "d"', "e f"]],
  [`echo a"b"'c'`, ["echo", "abc"]],
  [`echo "\\"\\$x" ''`, ["echo", '"$x', ""]],
  ["echo $HOME; rm *", ["echo", "$HOME;", "rm", "*"]],
  ["  ", []],
])("%s", (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

test.each(['echo "a', "echo 'a", "echo a\\", `echo ${'"\\""'.repeat(5000)}"`])(
  "a line with open quotes is refused",
  (line) => {
    expect(() => splitWords(line)).toThrow("Expected quotes that are closed in the command");
  },
);
