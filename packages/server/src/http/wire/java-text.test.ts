import { expect, test } from "vitest";
import { javaText } from "./java-text.ts";

for (const [json, text] of [
  ["{}", "{}"],
  ["[]", "[]"],
  ["null", "null"],
  ['"a"', "a"],
  ['{"i":0}', "{i=0}"],
  ['{"x":1,"fromTemplate":"yes"}', "{x=1, fromTemplate=yes}"],
  [
    '{"prompt":"hi","media":[],"context":{},"session_id":"s-1","cwd":"."}',
    "{prompt=hi, media=[], context={}, session_id=s-1, cwd=.}",
  ],
  ['{"k2":{"a":1},"l":[1,"two",null,true,{"b":false}]}', "{k2={a=1}, l=[1, two, null, true, {b=false}]}"],
  [' { "a" : [ 1 , 2 ] } ', "{a=[1, 2]}"],
  ['{"10":1,"2":2}', "{10=1, 2=2}"],
  ['{"a, b":"c: {d}","e":"[f]"}', "{a, b=c: {d}, e=[f]}"],
  ['{"a":"\\"q\\" \\\\ \\n \\u00e9"}', '{a="q" \\ \n é}'],
  ['{"a":""}', "{a=}"],
  ["[1.5,1.0,-2.50,100.0,0.001,1e2]", "[1.5, 1.0, -2.5, 100.0, 0.001, 100.0]"],
  ["[1e10,12345678.9,1.0E-4,-1e-10,0.0,-0.0]", "[1.0E10, 1.23456789E7, 1.0E-4, -1.0E-10, 0.0, -0.0]"],
  ["[12345678901234567890,-7]", "[12345678901234567890, -7]"],
  ["[1e400]", "[Infinity]"],
] as const) {
  test(json, () => expect(javaText(json)).toBe(text));
}
