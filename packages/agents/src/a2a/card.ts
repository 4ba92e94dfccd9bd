import { isJsonObject, type Json, ownMember, type WorkflowDef } from "@downbeat/engine";
import type { Runtime } from "@downbeat/server";
import type { FacadeKind } from "./task.ts";

/** What a client reads first: who this is, and how it is spoken to. */
export function agentCard({ config }: Runtime, kind: FacadeKind, def: WorkflowDef, base: string): object {
  const inputModes = config["service.a2a.server.default-input-modes"];
  const outputModes = config["service.a2a.server.default-output-modes"];
  const description = def.description?.trim() || `The ${kind} ${def.name}`;
  return {
    name: def.name,
    description,
    url: `${base}/${encodeURIComponent(def.name)}`,
    version: String(def.version),
    protocolVersion: "0.3.0",
    preferredTransport: "JSONRPC",
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
    capabilities: { streaming: true, pushNotifications: false },
    provider: { organization: config["service.a2a.server.provider-organization"], url: new URL(base).origin },
    skills: [{ id: def.name, name: def.name, description, tags: tagsOf(def), inputModes, outputModes }],
  };
}

/** A setting of a definition's metadata, under a flat key or a nested one. */
export function settingOf({ metadata }: WorkflowDef, name: string): Json | undefined {
  const nested = ownMember(metadata, "a2a");
  return ownMember(metadata, `a2a.${name}`) ?? (isJsonObject(nested) ? ownMember(nested, name) : undefined);
}

function tagsOf(def: WorkflowDef): readonly string[] {
  const tags = settingOf(def, "tags") ?? ownMember(def.metadata, "agent_capabilities");
  return Array.isArray(tags) ? tags.map(String) : [];
}
