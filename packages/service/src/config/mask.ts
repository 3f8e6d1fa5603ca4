const SECRET_PARAMETER = /pass|token|secret|key|sig|auth/i;

/** A URL with its password and any query value that looks like a secret as `***`. What cannot be read is not shown at all. */
export function maskUrl(text: string): string {
  const url = readUrl(text);
  if (!url) return '(not shown: it may hold a password)';
  if (url.password) url.password = '***';
  for (const name of new Set(url.searchParams.keys()))
    if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, '***');
  return url.toString();
}

/** Only scheme and host of a URL: in webhooks and pings the path itself is the secret. */
export function maskUrlPath(text: string): string {
  const url = readUrl(text);
  return url ? `${url.protocol}//${url.host}/***` : '(not shown: it may hold a secret)';
}

/** Any text with the passwords of the URLs in it as `***`; for lines of which nobody knows what they quote. */
export function maskPasswords(text: string): string {
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/"']*):[^\s@"']+@/gi, '$1:***@');
}

/** Without a host it may be `user:password@host` with the scheme forgotten, which parses too. */
function readUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.host ? url : undefined;
}
