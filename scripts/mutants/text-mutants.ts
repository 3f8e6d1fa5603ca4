import type { Mutant } from './mutant.ts';

type Found = Omit<Mutant, 'file'>;

/** What ends a predicate, outside of brackets. */
const PREDICATE_END =
  /^(?:AND|OR|ORDER|GROUP|LIMIT|FOR|RETURNING|UNION|THEN|LOOP|WHEN|ELSE|END|JOIN|LEFT|CROSS|WHERE|ON|SET|HAVING|WINDOW)\b/;

/** Beside the id of a run it only names the partition: the plans of statements are tested by themselves. */
const PARTITION = /^\(?(?:\w+\.)?scheduled_for = [\w.$[\]]+$/;

/** The clock of the server, on the other side of a border: that both are the same in a microsecond no test can bring about, and nobody would see. */
const BESIDE_CLOCK = /^\s*(?:now|clock_timestamp)\(\)/;
const AFTER_CLOCK = /\b(?:now|clock_timestamp)\(\)\s*$/;

const SQL_SWAPS: [operator: string, pattern: RegExp, by: (match: string) => string][] = [
  ['border', /(?<=\s)(?:<=|>=|<|>)(?=\s)/g, (sign) => (sign.length === 2 ? sign.slice(0, 1) : `${sign}=`)],
  ['equality', /(?<=\s)<>(?=\s)/g, () => '='],
  ['lock removed', /\bFOR (?:NO KEY )?UPDATE(?: OF \w+)?(?: SKIP LOCKED| NOWAIT)?/g, () => ''],
  ['lock waits', / SKIP LOCKED/g, () => ''],
  ['negation', /\bIS NOT NULL\b/g, () => 'IS NULL'],
  ['negation', /\bIS NULL\b/g, () => 'IS NOT NULL'],
  ['negation', /\bNOT (?=EXISTS\b|[a-z_]+\()/g, () => ''],
  ['and/or', /\bOR\b(?! REPLACE)/g, () => 'AND'],
  ['constant', /(?<=[+-] )\d+\b/g, (number) => String(Number(number) + 1)],
  ['order', /(?<= )DESC\b/g, () => 'ASC'],
  ['distinct removed', /\bSELECT DISTINCT\b(?! ON)/g, () => 'SELECT'],
  ['extreme', /\b(?:least|greatest|min|max)(?=\()/g, (name) => EXTREMES[name] ?? name],
];

const EXTREMES: Record<string, string> = { least: 'greatest', greatest: 'least', min: 'max', max: 'min' };

const LUA_SWAPS: typeof SQL_SWAPS = [
  ['border', /(?<=\s)(?:<=|>=|<|>)(?=\s)/g, (sign) => (sign.length === 2 ? sign.slice(0, 1) : `${sign}=`)],
  ['equality', /[=~]=(?= )/g, (sign) => (sign === '==' ? '~=' : '==')],
  ['and/or', /\b(?:and|or)\b/g, (word) => (word === 'and' ? 'or' : 'and')],
  ['negation', /\bnot /g, () => ''],
  ['constant', /(?<=[+*-] )\d+\b/g, (number) => String(Number(number) + 1)],
  ['statement removed', /(?<=^\s*)redis\.call\([^\n]*\)$/gm, () => ''],
];

export function isLua(text: string): boolean {
  return text.includes('redis.call(');
}

export function luaMutants(text: string): Found[] {
  return swaps(blankOut(text), LUA_SWAPS);
}

/** The faults of one statement, or of the body of a function in PL/pgSQL. */
export function sqlMutants(text: string): Found[] {
  const plain = blankOut(text);
  const isOfClock = ({ operator, start, end }: Found) =>
    operator === 'border' && (BESIDE_CLOCK.test(plain.slice(end)) || AFTER_CLOCK.test(plain.slice(0, start)));
  return [...swaps(plain, SQL_SWAPS).filter((one) => !isOfClock(one)), ...predicates(plain), ...statements(plain)];
}

function swaps(plain: string, rules: typeof SQL_SWAPS): Found[] {
  return rules.flatMap(([operator, pattern, by]) =>
    [...plain.matchAll(pattern)].map((match) => ({
      operator,
      start: match.index,
      end: match.index + match[0].length,
      text: by(match[0]),
    })),
  );
}

/** `AND x` taken away; of `WHERE x AND y`, x too. */
function predicates(plain: string): Found[] {
  const found: Found[] = [];
  for (const { index, 0: word } of plain.matchAll(/\b(?:AND|WHERE|WHEN)\b/g)) {
    if (/\bBETWEEN\s+\S+\s+$/.test(plain.slice(0, index))) continue;
    const from = index + word.length;
    const end = predicateEnd(plain, from);
    const text = word === 'AND' ? '' : `${word} true`;
    const predicate = plain.slice(from, end).trim();
    if (predicate !== '' && !PARTITION.test(predicate))
      found.push({ operator: 'predicate removed', start: index, end, text });
  }
  return found;
}

function predicateEnd(plain: string, from: number): number {
  let depth = 0;
  for (let at = from; at < plain.length; at++) {
    const sign = plain[at] ?? '';
    if ('(['.includes(sign)) depth += 1;
    else if (')]'.includes(sign) && --depth < 0) return trimmed(plain, at);
    else if (depth === 0 && (sign === ';' || sign === ',' || sign === '`')) return trimmed(plain, at);
    else if (depth === 0 && /\s/.test(plain[at - 1] ?? '') && PREDICATE_END.test(plain.slice(at, at + 12)))
      return trimmed(plain, at);
  }
  return plain.length;
}

function trimmed(plain: string, end: number): number {
  return plain.slice(0, end).trimEnd().length;
}

/** A step of a function in PL/pgSQL that begins a line. */
function statements(plain: string): Found[] {
  const steps = /^[ \t]+(?:PERFORM|UPDATE|DELETE|INSERT|CONTINUE|EXIT|RETURN;|\w+ :=)[^;]*;/gm;
  if (!/\bplpgsql\b/.test(plain)) return [];
  return [...plain.matchAll(steps)].map(({ index, 0: step }) => {
    const start = index + step.length - step.trimStart().length;
    return { operator: 'statement removed', start, end: index + step.length, text: 'NULL;' };
  });
}

/** Comments and quoted words as blanks: a fault in them is none. */
function blankOut(text: string): string {
  return text.replaceAll(/--[^\n]*|'[^'\n]*'/g, (piece) =>
    piece.startsWith("'") ? `'${' '.repeat(piece.length - 2)}'` : ' '.repeat(piece.length),
  );
}
