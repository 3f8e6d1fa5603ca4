const STRING = /"(?:[^"\\]|\\.)*"/g;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * JSON that somebody has typed. Throws for what is none, and for a number that the browser would change as it is read: the API, which
 * refuses these too, would not see it any more.
 */
export function typedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const changed = text.replace(STRING, '""').match(NUMBER)?.find(isChanged);
  if (changed === undefined) return value;
  throw new Error(`the number ${changed} would become ${Number(changed)}: write it as text, in quotes`);
}

function isChanged(written: string): boolean {
  const value = Number(written);
  if (!Number.isFinite(value)) return true;
  if (Math.abs(value) < 2 ** 53) return false;
  return /^-?\d+$/.test(written) && BigInt(written) !== asWritten(value);
}

/** What would be written in its place: not all of the digits that it has, but those that tell it from others. */
function asWritten(value: number): bigint {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length);
}
