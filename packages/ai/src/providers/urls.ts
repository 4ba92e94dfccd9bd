/** The URL without a slash at its end, and with the version its paths begin with unless it has one. */
export function versioned(baseUrl: string, version: string): string {
  const plain = baseUrl.replace(/\/+$/, "");
  return /\/v\d+[a-z0-9]*$/i.test(plain) || plain.endsWith(`/${version}`) ? plain : `${plain}/${version}`;
}
