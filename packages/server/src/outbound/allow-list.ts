import type { Config } from "../config.ts";
import type { RefuseTarget } from "./address-policy.ts";
import { addressKind } from "./address-ranges.ts";
import type { OutboundClient } from "./client.ts";
import { OutboundError } from "./outbound-error.ts";

/** Rules for targets that a model or a stranger's document may have chosen. */
export type AllowList = {
  /** Ends the sentence "Outbound access denied: …"; undefined for an origin the settings name. */
  readonly refuseUrl: (url: URL) => string | undefined;
  /** Refuses addresses that are not public unless the settings allow them. */
  readonly refuse: RefuseTarget;
};

/** Only origins of the list, and of those only public addresses unless the settings allow others. */
export function readAllowList(config: Config): AllowList {
  const allowed = new Set(config["service.ai.outbound.allowed-origins"].flatMap(originOf));
  const allowsPrivate = config["service.ai.outbound.allow-private-networks"];
  return {
    refuseUrl: ({ origin }) =>
      allowed.has(origin) ? undefined : `${origin} is not in service.ai.outbound.allowed-origins`,
    refuse: ({ url, address }) =>
      allowsPrivate || addressKind(address) === "public" ? undefined : `${url.hostname} resolves to a private address`,
  };
}

/** The client behind the list: `inner` must ask it for every address, and so for every redirect. */
export const behindAllowList = (inner: OutboundClient, { refuseUrl }: AllowList): OutboundClient => ({
  async send(request) {
    const url = URL.parse(request.url.trim());
    // Before its name is looked up; what is no URL is told so by the client.
    const reason = url === null ? undefined : refuseUrl(url);
    if (reason !== undefined) throw new OutboundError(`Outbound access denied: ${reason}`, { failure: "refused" });
    return await inner.send(request);
  },
  close: () => inner.close(),
});

/** As the URL parser writes it: lower case, without a default port. What is no origin allows nothing. */
function originOf(text: string): readonly string[] {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? [url.origin] : [];
}
