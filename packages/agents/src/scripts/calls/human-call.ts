import type { JsonObject } from "@downbeat/engine";
import type { Call } from "./call.ts";

/** A question to a person, who answers in their own words. */
export function humanCall({ name, tool, args, plain }: Call): JsonObject {
  return {
    name,
    type: "HUMAN",
    inputParameters: {
      ...(plain(args) as JsonObject),
      __humanTaskDefinition: {
        assignmentCompletionStrategy: "LEAVE_OPEN",
        displayName: plain(tool.displayName ?? name),
        userFormTemplate: { version: 0 },
      },
      response_schema: {
        type: "object",
        properties: { response: { type: "string", title: "Response", description: "Your answer" } },
      },
      response_ui_schema: { "ui:order": ["response"], response: { "ui:widget": "textarea" } },
      _description: plain(tool.description ?? ""),
    },
  };
}
