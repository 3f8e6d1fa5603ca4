import { createHmac } from 'node:crypto';

/** What a webhook's receiver checks: Standard Webhooks 1.0.0 (standardwebhooks.com). */
export interface Signed {
  id: string;
  /** When it was sent, in seconds since 1970. */
  timestamp: number;
  body: string;
}

/** A shared secret as users write it: `whsec_` and base64 of 24 to 64 bytes. */
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** The key of a secret; undefined: it is none. */
export function signingKey(secret: string): Buffer | undefined {
  const encoded = SECRET.exec(secret)?.[1];
  const key = encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
  const isWhole = key?.toString('base64').replace(/=+$/, '') === encoded?.replace(/=+$/, '');
  return key && isWhole && key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** The headers of a signed request; with several secrets a signature of each, so that one can be replaced by another. */
export function signedHeaders({ id, timestamp, body }: Signed, secrets: readonly string[]): Record<string, string> {
  const keys = secrets.map(signingKey).filter((key) => key !== undefined);
  if (keys.length === 0) return {};
  const signatures = keys.map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64'));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}
