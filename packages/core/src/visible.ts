/**
 * What a terminal would act on instead of showing it: control characters but line breaks and tabs, and marks that turn the
 * direction of writing (CVE-2021-42574).
 */
const ACTED_ON = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/gu;

/** A text for a terminal: such characters are shown as `\x1b` or `\u202e`. A return before a line break is part of that. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(ACTED_ON, escapeOf);
}

/** The same on one line: line breaks and tabs are shown too. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, (character) => (character === '\n' ? '\\n' : '\\t'));
}

/** JSON in which such characters are escaped: it stays JSON of the same value. */
export function visibleJson(json: string): string {
  return json.replace(ACTED_ON, (character) => `\\u${hexOf(character, 4)}`);
}

function escapeOf(character: string): string {
  return character > '\xff' ? `\\u${hexOf(character, 4)}` : `\\x${hexOf(character, 2)}`;
}

function hexOf(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}
