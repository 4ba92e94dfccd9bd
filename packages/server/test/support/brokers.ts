import { expect, test } from "vitest";

/** Where .ci/brokers has started them. */
const addresses = {
  kafka: process.env["DOWNBEAT_TEST_KAFKA"],
  amqp: process.env["DOWNBEAT_TEST_AMQP"],
  nats: process.env["DOWNBEAT_TEST_NATS"],
  sqs: process.env["DOWNBEAT_TEST_SQS"],
};

type BrokerName = keyof typeof addresses;

/** The address of a broker, when there is one; says so when there is none, and fails where there has to be one. */
export function brokerFor(name: BrokerName): string | undefined {
  const address = addresses[name];
  const isRequired = process.env["DOWNBEAT_REQUIRE"]?.split(",").includes(name) === true;
  if (address === undefined)
    process.stdout.write(`Skipping the tests with ${name}: DOWNBEAT_TEST_${name.toUpperCase()} names none\n`);
  test(`${name} is there when it has to be`, () => {
    if (isRequired) expect(address).toBeDefined();
  });
  return address;
}
