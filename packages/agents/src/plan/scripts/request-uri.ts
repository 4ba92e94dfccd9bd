type UriParts = {
  /** The tool's URL, with `{name}` where an argument belongs. */
  readonly url: string;
  readonly pathArgs: { readonly [name: string]: unknown };
  readonly queryArgs: { readonly [name: string]: unknown };
};

/** The URI of a request: arguments put into the path, the rest behind it; a fragment stays last. */
export function requestUri({ url, pathArgs, queryArgs }: UriParts): string {
  const asText = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));
  const filled = Object.entries(pathArgs).reduce(
    (path, [name, value]) => path.split("{".concat(name, "}")).join(encodeURIComponent(asText(value ?? ""))),
    url,
  );
  const pairs = Object.entries(queryArgs).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== null && one !== undefined && one !== "")
      .map((one) => encodeURIComponent(name).concat("=", encodeURIComponent(asText(one)))),
  );
  if (pairs.length === 0) return filled;
  const hash = filled.indexOf("#");
  const before = hash === -1 ? filled : filled.slice(0, hash);
  const fragment = hash === -1 ? "" : filled.slice(hash);
  const join = before.includes("?") ? (/[?&]$/.test(before) ? "" : "&") : "?";
  return before.concat(join, pairs.join("&"), fragment);
}
