import { type MessagePort, workerData } from "node:worker_threads";
import { channelOn, threadIsReady, waitForRequest, writeAnswer } from "./channel.ts";
import { Engine, type EngineSettings } from "./engine.ts";

/** What a script thread is started with. */
export type ScriptThreadData = {
  readonly shared: SharedArrayBuffer;
  readonly port: MessagePort;
  readonly settings: EngineSettings;
};

const { shared, port, settings }: ScriptThreadData = workerData;
const channel = channelOn(shared, port);
const engine = await Engine.open(settings);
port.postMessage(threadIsReady);

// Never goes back to its event loop except to renew the engine: it sleeps in `waitForRequest` and ends by `terminate`.
for (;;) {
  const { kind, source, input } = waitForRequest(channel);
  const answer = kind === "evaluate" ? engine.evaluate(source, input) : engine.checkSyntax(source);
  writeAnswer(channel, answer.kind, answer.text);
  if (engine.needsRenewal) {
    await engine.renew();
  }
}
