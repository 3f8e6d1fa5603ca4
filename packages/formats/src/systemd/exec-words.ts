import { shellQuoted } from '../shell-quoted.ts';
import { cannotSay } from '../translated/translated.ts';

const ESCAPES: { readonly [letter: string]: string } = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  s: ' ',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** Splits a value into words as systemd.syntax(7) quotes them: '...' and "..." each with escapes. Throws `cannot_say`. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '\\') {
      const escaped = escapeAt(text, at + 1);
      word = (word ?? '') + escaped.value;
      at += escaped.length;
    } else if (quote !== '') {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') throw cannotSay(`"${text}" has a ${quote} without its end`, 'correct it in the unit');
  return word === undefined ? words : [...words, word];
}

function escapeAt(text: string, at: number): { value: string; length: number } {
  const hex = /^x[0-9a-f]{2}|^u[0-9a-f]{4}/i.exec(text.slice(at));
  const code = hex ? Number.parseInt(hex[0].slice(1), 16) : undefined;
  const octal = /^[0-7]{3}/.exec(text.slice(at))?.[0];
  if (hex && code !== undefined) return { value: String.fromCharCode(code), length: hex[0].length };
  if (octal !== undefined) return { value: String.fromCharCode(Number.parseInt(octal, 8)), length: 3 };
  const value = ESCAPES[text[at] ?? ''];
  if (value === undefined)
    throw cannotSay(`"${text}" has the unknown escape \\${text[at] ?? ''}`, 'write a backslash as \\\\');
  return { value, length: 1 };
}

/** A word as systemd reads it back. */
export function quotedWord(word: string): string {
  const plain = word.replaceAll('%', '%%');
  if (/^[\w@%+=:,./-]+$/.test(plain)) return plain;
  const escaped = plain
    .replace(/[\\"]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${escaped}"`;
}

/** A word for a shell, with `$NAME` and `${NAME}` as systemd fills them in: alone and unquoted, the value is split into words. */
export function shellWord(word: string): string {
  const [, split] = /^\$([A-Za-z_]\w*)$/.exec(word) ?? [];
  if (split !== undefined) return `$${split}`;
  if (!hasVariable(word)) return shellQuoted(word.replaceAll('$$', '$'));
  const parts = word.split(/(\$\$|\$\{[A-Za-z_]\w*\})/).filter(Boolean);
  return parts
    .map((part) => {
      if (part === '$$') return "'$'";
      return part.startsWith('${') ? `"${part}"` : shellQuoted(part);
    })
    .join('');
}

/** Whether systemd fills something in: `$NAME` as a word of its own, `${NAME}` anywhere. */
export function hasVariable(word: string): boolean {
  return /^\$[A-Za-z_]\w*$/.test(word) || /\$\{[A-Za-z_]\w*\}/.test(word.replaceAll('$$', ''));
}
