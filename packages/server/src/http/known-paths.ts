/**
 * The paths that have a route, for requests that found none: a path that other methods know is told apart from one that
 * nobody knows. Filled while routes are declared; asked only on the way to an error.
 */
export class KnownPaths {
  readonly #routes: { readonly method: string; readonly pattern: RegExp }[] = [];
  readonly #withSlash = new Set<string>();

  add(method: string, url: string): void {
    this.#routes.push({ method, pattern: toPattern(url) });
    if (url.endsWith("/")) this.#withSlash.add(url);
  }

  /** The methods that a path has a route for, sorted. */
  methodsOf(path: string): string[] {
    const methods = this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(methods)].sort();
  }

  /** A path that ends in a slash names nothing, unless it was declared so: the router would see an empty last part. */
  isNothing(url: string): boolean {
    const end = url.indexOf("?");
    const path = end === -1 ? url : url.slice(0, end);
    return path.length > 1 && path.endsWith("/") && !this.#withSlash.has(path);
  }
}

function toPattern(url: string): RegExp {
  const parts = url.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : RegExp.escape(part)));
  return new RegExp(`^${parts.join("/")}$`);
}
