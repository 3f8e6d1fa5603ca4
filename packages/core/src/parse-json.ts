import { EscapementError } from './errors.ts';

/** Brackets that may be open at once in a text; a value in it may be 100 deep (`admitJson`). */
const MAX_OPEN = 200;

const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Reads JSON from outside: `JSON.parse`, without what it changes in silence. Throws `SyntaxError` for what is not JSON, `json_number` for a
 * number that no double holds, `json_too_deep`. `what` names the text: `--payload`.
 */
export function parseJson(text: string, what: string): unknown {
  const value: unknown = JSON.parse(text);
  let open = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isDigit(code)) at += admitNumber(text, at, what).length;
    else {
      open += bracket(text[at]);
      if (open > MAX_OPEN) throw tooDeep(what);
      at += 1;
    }
  }
  return value;
}

/**
 * Whether a number of JSON comes back as it was written. Whole numbers beyond 2^53 and the like do not; a fraction keeps the 15 to 17 digits
 * that a double has, as everywhere.
 */
export function isKeptNumber(written: string): boolean {
  const value = Number(written);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return !/[1-9]/.test(written.split(/e/i)[0] ?? '');
  return Math.abs(value) < 2 ** 53 || digitsOf(written) === digitsOf(String(Math.abs(value)));
}

/** Of `json_number`. `what` names where it stands. */
export function changedNumber(written: string, what: string): EscapementError {
  const shown = written.length > 60 ? `${written.slice(0, 60)}…` : written;
  return new EscapementError('json_number', `${what} has the number ${shown}, which would become ${Number(written)}`, {
    fix: 'write it as text, in quotes, or round it to 15 digits',
  });
}

function admitNumber(text: string, at: number, what: string): string {
  NUMBER.lastIndex = at;
  const [written = ''] = NUMBER.exec(text) ?? [];
  if (isKeptNumber(written)) return written;
  throw changedNumber(written, what);
}

/** What a number says, however it is written: its digits without zeros at either end, and the place of the last one. */
function digitsOf(written: string): string {
  const [mantissa = '', exponent = '0'] = written.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function bracket(sign: string | undefined): number {
  if (sign === '[' || sign === '{') return 1;
  return sign === ']' || sign === '}' ? -1 : 0;
}

/** Behind the string that begins here. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
}

function tooDeep(what: string): EscapementError {
  return new EscapementError('json_too_deep', `${what} is nested more than ${MAX_OPEN} levels deep`, {
    fix: 'make it flatter',
  });
}
