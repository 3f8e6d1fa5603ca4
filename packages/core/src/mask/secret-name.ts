/** What a secret becomes where it would show. */
export const MASK = '***';

const PARTS = /passw|passphrase|token|secret|credential|cookie|authoriz|signature|api-?_?key|jwt/i;
const WORDS = new Set(['pass', 'pwd', 'auth', 'sig', 'bearer', 'session', 'sessionid', 'sid']);
/** `access-key`, `privateKey`; not `idempotency-key`. */
const KEYS = /(access|account|auth|client|encryption|license|master|private|secret|signing|ssl|storage)[-_.]?key/i;

/** Whether a header, parameter, variable or field of this name usually holds a secret. */
export function isSecretHolder(name: string): boolean {
  return PARTS.test(name) || KEYS.test(name) || wordsOf(name).some((word) => WORDS.has(word));
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}
