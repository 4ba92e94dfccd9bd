import { OutboundError } from "./outbound-error.ts";

export interface RequestUrl {
  readonly url: URL;
  /** Path and query as they go over the wire. */
  readonly target: string;
}

/**
 * Reads the URL of a request without rewriting its path and query: escapes, dots and brackets stay as written, and only
 * what may not stand in a request line (blanks, quotes, braces, non-ASCII) is percent-encoded.
 */
export function parseRequestUrl(text: string): RequestUrl {
  const trimmed = text.trim();
  const url = URL.parse(trimmed);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") {
    const message = `Expected an http or https URL, got "${hidePassword(text)}"`;
    throw new OutboundError(message, { failure: "invalid-request" });
  }
  const [, written] = /^https?:\/\/[^/\\?#]*([^#]*)/is.exec(trimmed) ?? [];
  const path = written ?? url.pathname + url.search;
  return { url, target: escapeTarget(path.startsWith("/") ? path : `/${path}`) };
}

/** Where a redirect leads: an absolute URL as written, a relative one resolved. */
export function parseLocation(location: string, base: URL): RequestUrl {
  const isAbsolute = /^\s*[a-z][a-z0-9+.-]*:/i.test(location);
  return parseRequestUrl(isAbsolute ? location : (URL.parse(location, base.href)?.href ?? location));
}

/** The URL as it may be shown: a password in it is masked. */
export function hidePassword(url: string): string {
  return url.replace(/^(\s*[a-z][a-z0-9+.-]*:\/\/[^/?#@:]*:)[^/?#]*@/i, "$1***@");
}

function escapeTarget(target: string): string {
  return target.toWellFormed().replaceAll(/[^\x21-\x7e]|["<>\\^`{|}]/gu, encodeURIComponent);
}
