import { createHmac } from 'node:crypto';
import { signingKey } from '@escapement/service';

/** What a webhook's receiver checks: Standard Webhooks 1.0.0 (standardwebhooks.com). */
export interface Signed {
  id: string;
  /** When it was sent, in seconds since 1970. */
  timestamp: number;
  body: string;
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
