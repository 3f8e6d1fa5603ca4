/** Where output goes: `2>>/var/log/x`, `2>&1`. */
export interface Redirect {
  kind: 'redirect';
  /** What stands before the file: `>`, `2>`, `>>`; or all of it, as `2>&1`. */
  operator: string;
  /** Without quotes. Undefined: to another descriptor. */
  file?: string;
}

export type Token =
  /** Without its quotes. */
  { kind: 'word'; text: string } | { kind: 'operator'; text: string } | Redirect;

/** A word of which no shell makes another one: `~`, `*`, `$` and the like stand in quotes, or not at all. */
const WORD = String.raw`(?:'[^']*'|"[^"$\`\\]*"|[^\s;&|<>(){}'"$\`\\*?#~[\]!])+`;
const DUPLICATE = /\d?>&\d(?=[\s;)}]|$)/y;
const REDIRECT = new RegExp(String.raw`(\d?>{1,2})[ \t]*(${WORD})`, 'y');
const OPERATOR = /&&|[;(){}]/y;
const PLAIN_WORD = new RegExp(WORD, 'y');

/** A line of a shell in its parts; undefined: it has something that is not among them. */
export function tokensOf(line: string): Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; ; ) {
    while (/[ \t]/.test(line[at] ?? '')) at++;
    if (at >= line.length) return tokens;
    const found = tokenAt(line, at);
    if (!found) return undefined;
    tokens.push(found.token);
    at = found.end;
  }
}

function tokenAt(line: string, at: number): { token: Token; end: number } | undefined {
  for (const [pattern, read] of READS) {
    pattern.lastIndex = at;
    const match = pattern.exec(line);
    if (match) return { token: read(match), end: pattern.lastIndex };
  }
  return undefined;
}

const READS: readonly [RegExp, (match: RegExpExecArray) => Token][] = [
  [DUPLICATE, ([text]) => ({ kind: 'redirect', operator: text })],
  [REDIRECT, ([, operator = '', file = '']) => ({ kind: 'redirect', operator, file: unquoted(file) })],
  [OPERATOR, ([text]) => ({ kind: 'operator', text })],
  [PLAIN_WORD, ([text]) => ({ kind: 'word', text: unquoted(text) })],
];

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2');
}
