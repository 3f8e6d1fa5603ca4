import { isSecretHolder, MASK } from './secret-name.ts';

/**
 * A URL with `***` for its password, for a name without a password (a token, over HTTP), and for each value of query or fragment whose name
 * says that it is a secret. What cannot be read is not shown at all.
 */
export function maskUrl(text: string): string {
  const url = readUrl(text);
  if (!url) return '(not shown: it may hold a password)';
  if (url.password) url.password = MASK;
  else if (url.username && url.protocol.startsWith('http')) url.username = MASK;
  maskParameters(url.searchParams);
  if (url.hash.includes('=')) {
    const fragment = new URLSearchParams(url.hash.slice(1));
    if (maskParameters(fragment)) url.hash = fragment.toString();
  }
  return url.toString();
}

/** True: there was one. */
function maskParameters(parameters: URLSearchParams): boolean {
  const secret = [...new Set(parameters.keys())].filter(isSecretParameter);
  for (const name of secret) parameters.set(name, MASK);
  return secret.length > 0;
}

/** Only scheme and host of a URL: in webhooks and pings the path itself is the secret. */
export function maskUrlPath(text: string): string {
  const url = readUrl(text);
  return url ? `${url.protocol}//${url.host}/${MASK}` : '(not shown: it may hold a secret)';
}

/** Google's maps and others call it just so. */
export function isSecretParameter(name: string): boolean {
  return isSecretHolder(name) || name.toLowerCase() === 'key';
}

/** Without a host it may be `user:password@host` with the scheme forgotten, which parses too. */
function readUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.host ? url : undefined;
}
