import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { EscapementError } from '@escapement/core';

export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 1024;

/**
 * RFC 7914. They take 32 MiB and some 0.3 s of processor time, and are one of the choices that OWASP counts as equal. They stand with
 * each hash, so that they may grow.
 */
const COST = { logN: 15, r: 8, p: 3 };
/** What a hash that somebody else has written may ask for. */
const MOST = { logN: 17, r: 8, p: 4 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** The hash of a password with its parameters and salt, as it is kept. Throws `bad_password` for one that is too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < MIN_PASSWORD || password.length > MAX_PASSWORD)
    throw new EscapementError('bad_password', `the password has ${password.length} characters`, {
      fix: `give ${MIN_PASSWORD} to ${MAX_PASSWORD}`,
    });
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return keptHash(salt, hash);
}

function keptHash(salt: Buffer, hash: Buffer): string {
  return ['scrypt', COST.logN, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join(':');
}

/** The hash of nobody's password: made-up bytes in its place. To check it is as much work as a real one. */
export const NOBODYS_HASH = keptHash(Buffer.alloc(SALT_BYTES, 1), Buffer.alloc(HASH_BYTES, 2));

/** Whether a password is the one of a hash, in a time that does not tell where they differ. */
export async function isPassword(password: string, kept: string): Promise<boolean> {
  const [, logN, r, p, salt = '', hash = ''] =
    /^scrypt:(\d{1,2}):(\d{1,2}):(\d{1,2}):([\w+/=]{24}):([\w+/=]{44})$/.exec(kept) ?? [];
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
  if (!hash || cost.logN > MOST.logN || cost.r > MOST.r || cost.p > MOST.p) return false;
  // Cut off, a password of megabytes would be hashed for whoever sends it.
  const derived = await derive(password.slice(0, MAX_PASSWORD), Buffer.from(salt, 'base64'), cost);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64')) && password.length <= MAX_PASSWORD;
}

/** A password that nobody guesses: 160 random bits. */
export function newPassword(): string {
  return randomBytes(20).toString('base64url');
}

function derive(password: string, salt: Buffer, { logN, r, p }: typeof COST): Promise<Buffer> {
  const N = 2 ** logN;
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) => {
      if (error) reject(error);
      else resolve(hash);
    });
  });
}
