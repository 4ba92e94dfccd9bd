/** What a caller described cannot be an agent. Its message is the caller's answer, with status 400. */
export class InvalidAgent extends Error {
  override readonly name = "InvalidAgent";
  readonly statusCode = 400;
}
