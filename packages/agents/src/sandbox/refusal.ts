/** What was asked for does not run here: it is not allowed, or nothing could keep it apart from the server. */
export class SandboxRefusal extends Error {
  override readonly name = "SandboxRefusal";
}
