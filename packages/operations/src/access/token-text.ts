import { createHash, randomBytes } from 'node:crypto';

const ID_BYTES = 8;
const SECRET_BYTES = 32;
const TOKEN = /^esc_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

/** A new token: `esc_<id>_<256 random bits>`. The id is no secret. */
export function newToken(): { id: string; text: string } {
  const id = randomBytes(ID_BYTES).toString('hex');
  return { id, text: `esc_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}` };
}

/** The id in a token; undefined: it is none. */
export function tokenId(text: string): string | undefined {
  return TOKEN.exec(text)?.[1];
}

/** What is kept of a token: 256 random bits need no salt and no slow hash. */
export function hashToken(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
