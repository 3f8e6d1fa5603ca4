import { createHash, randomUUID } from 'node:crypto';

/** The id of a new URL: 122 random bits. Who has it may ping. */
export function newPingId(): string {
  return randomUUID();
}

/** What is kept of it: so many random bits need no salt and no slow hash. */
export function hashPingId(id: string): Buffer {
  return createHash('sha256').update(id.toLowerCase()).digest();
}
