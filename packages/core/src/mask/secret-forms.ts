import { storableText } from '../json.ts';

/** Shorter values are not masked: replacing every "1" would destroy the log and tell the secret by its gaps. */
export const MIN_SECRET_LENGTH = 4;
/** A shorter line of a key may stand anywhere. */
const MIN_LINE_LENGTH = 8;
/** Less of a secret's base64 is found in much that is none. */
const MIN_INNER_LENGTH = 6;
/** How programs wrap base64: `base64`, PEM and `openssl`. */
const WRAPPED_AT = [64, 76];

/** The texts in which programs print these values, each as it is and escaped or encoded in the ways that are common. */
export function formsOf(secrets: Iterable<string>): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    const lines = secret.includes('\n') ? secret.split(/\r?\n/).filter((line) => line.length >= MIN_LINE_LENGTH) : [];
    for (const value of [secret, secret.trim(), ...lines]) {
      if (value.length < MIN_SECRET_LENGTH) continue;
      for (const form of [value, ...escaped(value), ...inBase64(value), ...inHex(value)]) forms.add(form);
    }
  }
  return [...forms];
}

/** JSON (once, twice, in ASCII, with `\/`), URL parts, HTML, a word of the shell. */
function escaped(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const url = encodeURIComponent(storableText(value));
  return [
    ...[json, ascii, json.replaceAll('/', '\\/'), JSON.stringify(json).slice(1, -1)],
    ...[url, url.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()), url.replaceAll('%20', '+')],
    encodeURI(storableText(value)),
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    value.replaceAll("'", "'\\''"),
  ];
}

/** Alone, wrapped into lines, and in the midst of something longer, as in `name:password`. */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const alone = bytes.toString('base64');
  const wrapped = WRAPPED_AT.filter((width) => alone.length > width).flatMap((width) => piecesOf(alone, width));
  const inner = [0, 1, 2]
    .map((before) => innerBase64(bytes, before))
    .filter(({ length }) => length >= MIN_INNER_LENGTH);
  return [alone, ...wrapped, ...inner].flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** What is the same whatever stands around it, where so many bytes of a group of three stand before. */
function innerBase64(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 8) / 6));
}

function piecesOf(text: string, width: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += width) pieces.push(text.slice(at, at + width));
  return pieces.filter(({ length }) => length >= MIN_LINE_LENGTH);
}

function inHex(value: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  return [hex, hex.toUpperCase()];
}
