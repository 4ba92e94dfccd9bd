import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, plainText } from "../api.ts";
import { listOf, namedValueModel } from "../models.ts";
import { sendText, sendValue } from "../reply.ts";

/** Values an operator gives to workflows through the server's environment: `${workflow.env.NAME}`. */
export function environmentRoutes(api: Api, { environment }: Runtime): void {
  api.get(
    "/environment",
    { summary: "Environment values", answers: { 200: json(listOf(namedValueModel), "By name") } },
    (_call, reply) =>
      sendValue(
        reply,
        environment.names().map((name) => ({ name, value: environment.find(name) })),
      ),
  );

  api.get(
    "/environment/:key",
    { summary: "One environment value", answers: { 200: plainText("The value; empty when there is none") } },
    ({ params: { key } }, reply) => {
      const value = environment.find(key);
      return value === undefined ? reply.send() : sendText(reply, value);
    },
  );
}
