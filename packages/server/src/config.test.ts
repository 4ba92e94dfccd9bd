import { expect, test } from "vitest";
import { type Config, ConfigError, type ConfigInputs, configTable, describeConfig, loadConfig } from "./config.ts";
import { recordField } from "./config-values.ts";

/** Loads with nothing from this machine: no flags, no variables, and only the given files. */
function load(inputs: Omit<ConfigInputs, "readFile"> & { files?: Record<string, string> } = {}) {
  const { files = {}, ...rest } = inputs;
  return loadConfig({ argv: [], env: {}, cwd: "/app", readFile: (path) => files[path], ...rest });
}

function problemsOf(inputs: Parameters<typeof load>[0]): readonly string[] {
  try {
    load(inputs);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.problems;
    }
    throw error;
  }
  return [];
}

test("without any source every setting has its default", () => {
  const { config, warnings, sources } = load();
  expect(config["service.server.port"]).toBe(8080);
  expect(config["service.tasks.http.read-timeout"]).toBe(3000);
  expect(config["service.app.maxTaskOutputPayloadSizeThreshold"]).toBe(10240 * 1024);
  expect(config["service.tasks.http.blocked-addresses"]).toEqual([]);
  expect(config["service.brand"]).toBe("service");
  expect(new Set(Object.values(sources))).toEqual(new Set(["default"]));
  expect(Object.keys(config).toSorted()).toEqual(configTable.map((entry) => entry.key).toSorted());
  expect(warnings).toEqual([]);
});

test("values have the types of the table", () => {
  const { config } = load();
  const port: number = config["service.server.port"];
  const brand: "service" | "conductor" = config["service.brand"];
  const mandatory: boolean = config["service.app.ownerEmailMandatory"];
  const blocked: readonly string[] = config["service.tasks.http.blocked-addresses"];
  expect([typeof port, typeof brand, typeof mandatory, Array.isArray(blocked)]).toEqual([
    "number",
    "string",
    "boolean",
    true,
  ]);
});

test("flags win over the environment, the environment over the file, the file over the default", () => {
  const files = {
    "/app/downbeat.properties": "service.server.port=1\nservice.queue.window=1\nservice.app.taskExecLogSizeLimit=1",
  };
  const env = { SERVICE_SERVER_PORT: "2", SERVICE_QUEUE_WINDOW: "2" };
  const { config, sources } = load({ argv: ["--service.server.port=3"], env, files });
  expect(config["service.server.port"]).toBe(3);
  expect(config["service.queue.window"]).toBe(2);
  expect(config["service.app.taskExecLogSizeLimit"]).toBe(1);
  expect(sources["service.server.port"]).toBe("flag --service.server.port");
  expect(sources["service.queue.window"]).toBe("environment variable SERVICE_QUEUE_WINDOW");
  expect(sources["service.app.taskExecLogSizeLimit"]).toBe("file downbeat.properties");
});

test.each([
  ["--service.server.port=9"],
  ["--server.port=9"],
  ["--conductor.server.port=9"],
  ["--SERVER.Port=9"],
  ["--server.port", "9"],
])("a flag may be written %s %s", (...argv) => {
  expect(load({ argv }).config["service.server.port"]).toBe(9);
});

test("a flag without a value switches a setting on", () => {
  const argv = ["--app.ownerEmailMandatory", "--server.port=9"];
  expect(load({ argv }).config["service.app.ownerEmailMandatory"]).toBe(true);
});

test.each([
  "SERVICE_SERVER_BODY_LIMIT",
  "SERVICE_SERVER_BODYLIMIT",
  "CONDUCTOR_SERVER_BODY_LIMIT",
  "service_server_body_limit",
  "service.server.body-limit",
])("the environment variable may be written %s", (name) => {
  const { config, warnings } = load({ env: { [name]: "1KB" } });
  expect(config["service.server.body-limit"]).toBe(1024);
  expect(warnings).toEqual([]);
});

test("the variable of the reference for the script limit counts in seconds", () => {
  const { config } = load({ env: { CONDUCTOR_SCRIPT_MAX_EXECUTION_SECONDS: "7" } });
  expect(config["service.script.timeout"]).toBe(7000);
});

test.each(["service.db.url", "service.datasource.url", "conductor.db.url", "spring.datasource.url", "db.url"])(
  "a file may name the database by %s",
  (key) => {
    const files = { "/app/downbeat.properties": `${key}=./x.db` };
    expect(load({ files }).config["service.db.url"]).toBe("./x.db");
  },
);

test("variables of other programs with our prefix are left alone", () => {
  const env = {
    SERVICE_SECRET_TOKEN: "s",
    CONDUCTOR_ENV_STAGE: "test",
    SERVICE_AUTH_KEY: "k",
    CONDUCTOR_SERVER_URL: "http://localhost:8080/api",
    CONDUCTOR_SERVER_PORT: "tcp://10.0.0.7:8080",
    CONDUCTOR_SERVER_PORT_8080_TCP_ADDR: "10.0.0.7",
    CONDUCTOR_SERVER_SERVICE_HOST: "10.0.0.7",
    DB_TYPE: "mysql",
    PORT: "1",
  };
  const { config, warnings } = load({ env });
  expect(config["service.server.port"]).toBe(8080);
  expect(config["service.db.type"]).toBe("sqlite");
  expect(warnings).toEqual([]);
});

test("an empty environment variable counts as not set", () => {
  expect(load({ env: { SERVICE_SERVER_PORT: "" } }).config["service.server.port"]).toBe(8080);
});

test("an unknown name is a warning that suggests the nearest key", () => {
  const { warnings } = load({
    argv: ["--sever.port=1"],
    env: { SERVICE_QUEUE_WINDOWS: "1" },
    files: { "/app/downbeat.properties": "service.entirely.different.matter=1" },
  });
  expect(warnings).toEqual([
    'Unknown setting "sever.port" (flag --sever.port); did you mean "service.server.port"?',
    'Unknown setting "SERVICE_QUEUE_WINDOWS" (environment variable SERVICE_QUEUE_WINDOWS); did you mean "service.queue.window"?',
    'Unknown setting "service.entirely.different.matter" (file downbeat.properties)',
  ]);
});

test("settings of the reference that have nothing to switch here are taken without a word", () => {
  const files = { "/app/downbeat.properties": "conductor.redis.hosts=a:1:b\nconductor.app.sweeperThreadCount=4" };
  const env = { CONDUCTOR_GRPC_SERVER_ENABLED: "true", CONDUCTOR_SCRIPT_CONTEXT_POOL_SIZE: "10" };
  expect(load({ files, env }).warnings).toEqual([]);
});

test("of two spellings in one source our own wins, and a warning says so", () => {
  const files = {
    "/app/downbeat.properties": "conductor.server.port=1\nservice.server.port=2\n",
  };
  const { config, warnings } = load({ files });
  expect(config["service.server.port"]).toBe(2);
  expect(warnings).toEqual([
    'service.server.port is set twice: "service.server.port" is used, "conductor.server.port" is not (file downbeat.properties)',
  ]);
});

test("all bad values are reported together, each with key, source, expected and found", () => {
  const problems = problemsOf({
    argv: ["--server.port=http", "stray"],
    env: { SERVICE_DB_TYPE: "mysql", SERVICE_SHUTDOWN_GRACE: "soon" },
    files: { "/app/downbeat.properties": "service.tasks.http.blocked-addresses=10.0.0.0/33" },
  });
  expect(problems).toEqual([
    'Expected arguments of the form --key=value, got "stray"',
    'Expected service.server.port (flag --server.port) to be an integer from 0 to 65535, got "http"',
    'Expected service.shutdown.grace (environment variable SERVICE_SHUTDOWN_GRACE) to be a duration such as 500ms, 5s, 2m or PT30S, or a number of milliseconds, got "soon"',
    'Expected service.db.type (environment variable SERVICE_DB_TYPE) to be one of sqlite, postgres, got "mysql"',
    'Expected service.tasks.http.blocked-addresses (file downbeat.properties) to be a list of IP addresses or networks such as 10.0.0.0/8, separated by commas, got "10.0.0.0/33"',
  ]);
});

test("a bad value of a secret setting is not shown", () => {
  const files = { "/app/c.json": '{"service": {"db": {"password": ["hunter2"]}}}' };
  expect(problemsOf({ argv: ["--config=c.json"], files })).toEqual([
    "Expected service.db.password (file c.json) to be one text, got a hidden value",
  ]);
});

test.each([
  { argv: ["--config", "/etc/d.properties"], env: {} },
  { argv: ["--config=/etc/d.properties"], env: { SERVICE_CONFIG_FILE: "/nowhere" } },
  { argv: [], env: { SERVICE_CONFIG_FILE: "/etc/d.properties" } },
  { argv: [], env: { CONDUCTOR_CONFIG_FILE: "/etc/d.properties" } },
])("the configuration file is found by $argv and $env", (where) => {
  const files = { "/etc/d.properties": "service.server.port=9", "/app/downbeat.properties": "service.server.port=1" };
  expect(load({ ...where, files }).config["service.server.port"]).toBe(9);
});

test("a configuration file that was asked for and is not there is a problem", () => {
  expect(problemsOf({ argv: ["--config=none.properties"] })).toEqual([
    'Expected a configuration file at "none.properties", found none',
  ]);
});

test.each([
  ["c.json", "{", /^Expected "c\.json" to be JSON: /],
  ["c.json", "[1]", /^Expected "c\.json" to hold one JSON object, got an array$/],
  ["c.yaml", "a: 1", /^Expected "c\.yaml" to be a \.properties or \.json file, got YAML$/],
])("a configuration file %s with the text %s is a problem", (name, text, message) => {
  const [problem] = problemsOf({ argv: [`--config=${name}`], files: { [`/app/${name}`]: text } });
  expect(problem).toMatch(message);
});

test.each([
  ["jdbc:sqlite:conductor.db?busy_timeout=15000", "sqlite", "conductor.db"],
  ["sqlite:///var/lib/d.db", "sqlite", "/var/lib/d.db"],
  ["jdbc:postgresql://h/d", "postgres", "postgresql://h/d"],
])("the database text %s is understood", (url, type, plain) => {
  const { config } = load({ argv: [`--db.url=${url}`, `--db.type=${type}`] });
  expect(config["service.db.url"]).toBe(plain);
});

test("a database type without a fitting url is a problem", () => {
  expect(problemsOf({ argv: ["--db.type=postgres"] })).toEqual([
    "Expected service.db.url to start with postgres:// when service.db.type is postgres",
  ]);
  expect(problemsOf({ argv: ["--db.url=postgres://h/d"] })).toEqual([
    "Expected service.db.url to name a file when service.db.type is sqlite",
  ]);
});

test("the printed configuration has units and sources, and masks secrets", () => {
  const argv = ["--db.type=postgres", "--db.url=postgres://ada:p@ss@h/d?password=x", "--db.password=hunter2"];
  const { config, sources } = load({ argv });
  const lines = describeConfig(config, sources);
  expect(lines).toContain("service.db.url = postgres://ada:********@h/d?password=******** (flag --db.url)");
  expect(lines).toContain("service.db.password = ******** (flag --db.password)");
  expect(lines).toContain("service.shutdown.grace = 10s (default)");
  expect(lines).toContain("service.cache.size = 64MB (default)");
  expect(describeConfig(config)).toContain("service.server.port = 8080");
});

test("what is printed for the defaults reads back as the same values", () => {
  const { config } = load();
  const printed = describeConfig(config).filter((line) => !line.endsWith("="));
  const again = load({ files: { "/app/downbeat.properties": printed.join("\n") } });
  expect(again.config).toEqual(config satisfies Config);
  expect(again.warnings).toEqual([]);
});

test("no two keys or aliases of the table are spelled alike", () => {
  const names = configTable.flatMap((entry) => [entry.key, ...("aliases" in entry ? entry.aliases : [])]);
  const squashed = names.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ""));
  expect(new Set(squashed).size).toBe(names.length);
});

test.each([
  [
    "flags",
    {
      argv: [
        "--vectordb.instances[1].name=b",
        "--vectordb.instances[0].name=a",
        "--vectordb.instances[0].postgres.datasource-url=u",
      ],
    },
  ],
  ["a flag of JSON", { argv: ['--vectordb.instances=[{"name":"a","postgres":{"datasourceURL":"u"}},{"name":"b"}]'] }],
  [
    "variables",
    {
      env: {
        CONDUCTOR_VECTORDB_INSTANCES_0_NAME: "a",
        CONDUCTOR_VECTORDB_INSTANCES_0_POSTGRES_DATASOURCEURL: "u",
        CONDUCTOR_VECTORDB_INSTANCES_1_NAME: "b",
      },
    },
  ],
  [
    "a properties file",
    {
      files: {
        "/app/downbeat.properties":
          "conductor.vectordb.instances[0].name=a\nconductor.vectordb.instances[0].postgres.datasourceURL=u\nconductor.vectordb.instances[1].name=b",
      },
    },
  ],
  [
    "a JSON file",
    {
      argv: ["--config=c.json"],
      files: {
        "/app/c.json": JSON.stringify({
          service: { vectordb: { instances: [{ name: "a", postgres: { datasourceURL: "u" } }, { name: "b" }] } },
        }),
      },
    },
  ],
])("records are read from %s", (_, inputs) => {
  const { config, warnings } = load(inputs);
  const [a, b] = config["service.vectordb.instances"];
  expect([a, b].map((record) => recordField(record ?? {}, "name"))).toEqual(["a", "b"]);
  expect(recordField(a ?? {}, "postgres.datasourceURL")).toBe("u");
  expect(warnings).toEqual([]);
  expect(describeConfig(config)).toContain("service.vectordb.instances = a,b");
});

test("records that are none keep the server from starting, and are not shown", () => {
  expect(problemsOf({ argv: ["--vectordb.instances=hunter2"] })).toEqual([
    "Expected service.vectordb.instances (flag --vectordb.instances) to be a list of records: key[0].name=…, key[0].type=…, or a JSON array of objects, got a hidden value",
  ]);
});

test("a variable of another tool gives a value that nobody set here", () => {
  const key = "service.ai.grok.api-key";
  const of = (argv: readonly string[], env: Readonly<Record<string, string>>) =>
    loadConfig({ argv, env, readFile: () => undefined }).config[key];
  const both = { GROK_API_KEY: "second", XAI_API_KEY: " first " };
  expect(of([], both)).toBe("first");
  expect(of([], { GROK_API_KEY: "second", XAI_API_KEY: " " })).toBe("second");
  expect(of([`--${key}=own`], both)).toBe("own");
  expect(of([`--${key}=`], both)).toBe("first");
});
