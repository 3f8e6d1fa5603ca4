import { createHash } from 'node:crypto';
import { MINUTE } from '@escapement/core';
import { networkOf } from '@escapement/core/egress';
import { countSignIn, type Database, type SignInKey, signedInFrom, uncountSignIn } from '@escapement/store';
import { TooOften } from '../too-often.ts';

/** Of one address, for whatever names. */
const OF_ADDRESS = { most: 20, windowMs: 15 * MINUTE };
/**
 * Of one name, from all addresses that its user has not signed in from. More than one address may make, so that none alone keeps somebody
 * from signing in elsewhere; and over soon, should many addresses do it together.
 */
const OF_NAME = { most: 30, windowMs: 5 * MINUTE };

/** Of one address, with tokens that are none. Who has one that is good is not asked. */
const OF_BAD_TOKENS = { most: 300, windowMs: 1 * MINUTE };

/** Made-up names and addresses share these: they do not fill the table. */
const BUCKETS = { name: 4096, address: 65_536, token: 65_536 };

function tooManySignIns(retryAfterMs: number): TooOften {
  const fix = 'wait, and try again';
  return new TooOften('too_many_sign_ins', 'there were too many tries to sign in', { fix, retryAfterMs });
}

function tooManyBadTokens(retryAfterMs: number): TooOften {
  const fix = 'wait, and check the token';
  const words = 'there were too many requests with a token that is none of this namespace';
  return new TooOften('too_many_bad_tokens', words, { fix, retryAfterMs });
}

/**
 * Counts a request whose token is none. All replicas count together. A good token is taken from the same address all the same. Throws
 * `TooOften` (`too_many_bad_tokens`).
 */
export async function countBadToken(db: Database, address: string, now: Date): Promise<void> {
  const counted = await countSignIn(db, keyOf('token', networkOf(address)), { ...OF_BAD_TOKENS, now });
  if (!counted.counted) throw tooManyBadTokens(counted.waitMs);
}

/**
 * Counts a try to sign in, before the password is looked at. All replicas count together. A name is counted whether somebody has it or
 * not. Returns what takes the try back, for one that was not in vain. Throws `TooOften` (`too_many_sign_ins`).
 */
export async function countTry(
  db: Database,
  { name, address }: { name: string; address: string },
  now: Date,
): Promise<() => Promise<void>> {
  const takeBackAddress = await countTryFrom(db, address, now);
  const ofName = (await signedInFrom(db, name, address)) ? null : keyOf('name', name);
  if (ofName) await requireFree(db, ofName, { ...OF_NAME, now });
  return async () => {
    await takeBackAddress();
    if (ofName) await uncountSignIn(db, ofName);
  };
}

/** As `countTry`, where no name is given that could be tried out. */
export async function countTryFrom(db: Database, address: string, now: Date): Promise<() => Promise<void>> {
  const ofAddress = keyOf('address', networkOf(address));
  await requireFree(db, ofAddress, { ...OF_ADDRESS, now });
  return () => uncountSignIn(db, ofAddress);
}

async function requireFree(
  db: Database,
  key: SignInKey,
  limit: { most: number; windowMs: number; now: Date },
): Promise<void> {
  const counted = await countSignIn(db, key, limit);
  if (!counted.counted) throw tooManySignIns(counted.waitMs);
}

function keyOf(kind: keyof typeof BUCKETS, text: string): SignInKey {
  return { kind, bucket: createHash('sha256').update(text).digest().readUInt16BE(0) % BUCKETS[kind] };
}
