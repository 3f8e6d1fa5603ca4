/** A shared secret as users write it: `whsec_` and base64 of 24 to 64 bytes. */
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** The key of a secret; undefined: it is none. */
export function signingKey(secret: string): Buffer | undefined {
  const encoded = SECRET.exec(secret)?.[1];
  const key = encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
  const isWhole = key?.toString('base64').replace(/=+$/, '') === encoded?.replace(/=+$/, '');
  return key && isWhole && key.length >= 24 && key.length <= 64 ? key : undefined;
}
