import { maskText } from '../mask/mask-text.ts';

/** What is kept of the body of a ping: its first bytes. */
export const MAX_PING_BODY = 10 * 1024;

/**
 * The text of a body as it is kept: without what Postgres cannot hold, and with passwords and tokens masked that stand where such things stand.
 * Null: it says nothing.
 */
export function keptPingBody(bytes: Uint8Array): string | null {
  // What is cut off in the middle of a character is left out.
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, MAX_PING_BODY), { stream: true });
  const kept = maskText(text.replaceAll('\0', '\uFFFD'));
  return kept.trim() === '' ? null : kept;
}
