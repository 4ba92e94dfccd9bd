/** A connection URL as the driver wants it, from one that may be of another world (`jdbc:postgresql://…`), user and password in it. */
export function postgresUrl(text: string, user: string | undefined, password: string | undefined): string {
  const url = URL.parse(text.replace(/^jdbc:/i, "").replace(/^postgresql:/i, "postgres:"));
  if (url === null) throw new Error("Expected datasourceURL to be a URL such as postgres://host:5432/name");
  if (url.username === "" && user !== undefined) url.username = encodeURIComponent(user);
  if (url.password === "" && password !== undefined) url.password = encodeURIComponent(password);
  return url.href;
}
