import { expect, test } from "vitest";
import { environmentSecrets, environmentValues, readNamedValue } from "./secrets.ts";

const env = {
  SERVICE_SECRET_TOKEN: "ours",
  CONDUCTOR_SECRET_TOKEN: "theirs",
  CONDUCTOR_SECRET_OLD: "old",
  SERVICE_SECRET_DB: '{"user": "ada", "ports": [1, 2], "none": null}',
  SERVICE_SECRET_EMPTY: "",
  SERVICE_ENV_STAGE: "test",
  CONDUCTOR_ENV_REGION: "eu",
  HOME: "/root",
};

test("a secret comes from our prefix first, then from the reference's", () => {
  const secrets = environmentSecrets(env);
  expect(secrets.find("TOKEN")).toBe("ours");
  expect(secrets.find("OLD")).toBe("old");
  expect(secrets.find("EMPTY")).toBe("");
  expect(secrets.find("STAGE")).toBeUndefined();
  expect(secrets.names()).toEqual(["DB", "EMPTY", "OLD", "TOKEN"]);
});

test("environment values show only variables with the prefix", () => {
  const values = environmentValues(env);
  expect(values.find("STAGE")).toBe("test");
  expect(values.find("REGION")).toBe("eu");
  expect(values.find("HOME")).toBeUndefined();
  expect(values.names()).toEqual(["REGION", "STAGE"]);
});

test.each([
  ["TOKEN", "ours"],
  ["NONE", null],
  ["DB.user", "ada"],
  ["DB.ports.1", 2],
  ["DB.ports", [1, 2]],
  ["DB.none", null],
  ["DB.user.first", null],
  ["DB.constructor", null],
  ["TOKEN.user", null],
  ["NONE.user", null],
])("the path %s reads %o", (path, value) => {
  expect(readNamedValue(environmentSecrets(env), path)).toEqual(value);
});
