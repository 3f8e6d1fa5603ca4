/** Pieces of SQL within which a semicolon ends nothing, then the semicolon, then any one character. */
const TOKEN =
  /--[^\n]*|\/\*|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?:[A-Za-z_]\w*)?\$|[A-Za-z_][\w$]*|\s+|;|./gs;

/**
 * Where each statement of a script begins: index of its first character that is neither space nor
 * comment. For messages only: Postgres itself divides what it runs.
 */
export function statementStarts(sql: string): number[] {
  const starts: number[] = [];
  const token = new RegExp(TOKEN);
  let open = false;
  for (let match = token.exec(sql); match; match = token.exec(sql)) {
    const [text] = match;
    if (text === '/*') token.lastIndex = endOfComment(sql, token.lastIndex);
    else if (text.startsWith('--') || text.trim() === '') continue;
    else if (text === ';') open = false;
    else {
      if (!open) starts.push(match.index);
      open = true;
      if (/^\$.*\$$/s.test(text)) token.lastIndex = after(sql, text, token.lastIndex);
    }
  }
  return starts;
}

/** Comments of this kind nest. */
function endOfComment(sql: string, from: number): number {
  const bracket = /\/\*|\*\//g;
  bracket.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const match = bracket.exec(sql);
    if (!match) return sql.length;
    depth += match[0] === '/*' ? 1 : -1;
  }
  return bracket.lastIndex;
}

function after(sql: string, text: string, from: number): number {
  const found = sql.indexOf(text, from);
  return found < 0 ? sql.length : found + text.length;
}
