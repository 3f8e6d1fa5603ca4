import { EscapementError } from './errors.ts';

/** Refuses what is no key of `Idempotency-Key`: it has to fit a header. Throws `bad_idempotency_key`. */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new EscapementError('bad_idempotency_key', `${JSON.stringify(key.slice(0, 80))} is no idempotency key`, {
    fix: 'give 1 to 255 visible characters of ASCII',
  });
}
