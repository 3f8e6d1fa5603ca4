import type { IncomingMessage } from 'node:http';
import { MAX_PING_BODY } from '@escapement/core/monitors';

/** A body may be so long; of it the first `MAX_PING_BODY` bytes are kept. */
export const MAX_SENT_BODY = 1024 * 1024;

export interface PingBody {
  /** Its first bytes. */
  body: Uint8Array;
  /** How many there were. */
  bodyBytes: number;
}

export const NO_BODY: PingBody = { body: new Uint8Array(), bodyBytes: 0 };

/** Reads a body to its end, and keeps its beginning. `too long`: the rest was not read. `cut off`: the client went away. */
export async function readPingBody(request: IncomingMessage): Promise<PingBody | 'too long' | 'cut off'> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_SENT_BODY) return 'too long';
  const kept: Buffer[] = [];
  let bodyBytes = 0;
  try {
    // The connection stays for the answer, also where the rest is not read.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (bodyBytes < MAX_PING_BODY) kept.push(chunk.subarray(0, MAX_PING_BODY - bodyBytes));
      bodyBytes += chunk.length;
      if (bodyBytes > MAX_SENT_BODY) return 'too long';
    }
  } catch {
    return 'cut off';
  }
  return { body: Buffer.concat(kept), bodyBytes };
}
