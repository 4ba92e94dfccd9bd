import { addressKind, type Config, createGuardedFetch, type GuardedFetch, OutboundError } from "@downbeat/server";
import { AddressRefused } from "./failure.ts";

const CONNECT_MS = 10_000;

/** The way out to remote agents. Private networks are open unless the settings close them; metadata addresses never are. */
export function openAgentFetch(config: Config): GuardedFetch {
  const guarded = createGuardedFetch({
    refuse: ({ address }) => refuse(address, config["service.a2a.client.allow-private-network"]),
    connectTimeoutMs: CONNECT_MS,
    readTimeoutMs: config["service.ai.http.read-timeout"],
  });
  return {
    async fetch(input, init) {
      checkAgentUrl(String(input));
      try {
        return await guarded.fetch(input, { ...init, redirect: "manual" });
      } catch (error) {
        throw error instanceof OutboundError && error.failure === "refused" ? asRefusal(error) : error;
      }
    },
    close: guarded.close,
  };
}

function refuse(address: string, allowsPrivate: boolean): string | undefined {
  const kind = addressKind(address);
  if (kind === "link-local") return metadata(address);
  if (allowsPrivate || kind === "public") return undefined;
  return `agentUrl resolves to a private/reserved address — SSRF blocked: ${address} (set service.a2a.client.allow-private-network=true to allow private-network agents)`;
}

const metadata = (address: string): string =>
  `agentUrl resolves to a cloud metadata address — SSRF blocked: ${address}`;

/** The rule of all calls that leave is told in the words of this one. */
function asRefusal({ message }: OutboundError): Error {
  const [, address] = /resolves to a cloud metadata address \((.+)\)$/.exec(message) ?? [];
  return new AddressRefused(
    address === undefined ? message.replace("Outbound access denied: ", "") : metadata(address),
  );
}

/** Throws for what is no address of an agent at all. */
export function checkAgentUrl(text: string): URL {
  if (text.trim() === "") throw new AddressRefused("agentUrl must not be blank");
  const url = URL.parse(text.trim());
  if (url === null)
    throw new AddressRefused(`agentUrl is not a valid URL: ${text} — expected something like https://host/path`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new AddressRefused(`agentUrl must use http or https, got: ${url.protocol.slice(0, -1)}`);
  return url;
}
