/**
 * What differs from one time to the next, in this order, and what may stand in its place. Ids are not here: they are the same at all places.
 */
const WILDCARDS: readonly [RegExp, string][] = [
  // How the last run of a task ended, and when.
  [/(?:failed|succeeded)(?= \d{4}-\d\d-\d\dT)/y, '(?:failed|succeeded)'],
  [
    /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| [+-]\d\d:\d\d)/y,
    String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| [+-]\d\d:\d\d)`,
  ],
  [/\d+(?:\.\d+)? (?:ms|s|min|h|d)\b/y, String.raw`\d+(?:\.\d+)? (?:ms|s|min|h|d)(?: \d+ (?:ms|s|min|h))?`],
  [/\d+ runs?\b/y, String.raw`\d+ runs?`],
  // A column of durations that has none yet.
  [/ +- +(?=\d+(?:\.\d+)? (?:ms|s))/y, String.raw` +(?:-|\d+(?:\.\d+)? (?:ms|s)) +`],
  [/ +/y, ' +'],
  [/\d+(?:\.\d+)*/y, String.raw`\d+(?:\.\d+)*`],
];
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/y;
const ANY_ID = ID.source;

/** The ids that a document shows, each with that which the reader sees in its place. */
export type Ids = Map<string, string>;

/** Puts the ids that the reader has seen into a command. */
export function withIds(command: string, ids: Ids): string {
  return command.replaceAll(new RegExp(ANY_ID, 'g'), (id) => ids.get(id) ?? id);
}

/**
 * Compares what is printed with what a document shows: line by line, or, where that has a line `...`, as lines of which there may be more
 * between these. Ids that come for the first time are noted where all is as shown. Returns what is shown and not printed, or the other way round.
 */
export function compare(shown: string, printed: string, ids: Ids): string[] {
  const wanted = shown.trimEnd().split('\n');
  const leavesOut = wanted.includes('...');
  const patterns = wanted.filter((line) => line !== '...').map((line) => patternOf(line, ids));
  const rest = printed.trimEnd().split('\n');
  const found: Ids = new Map();
  const missing: string[] = [];
  for (const { line, pattern, names } of patterns) {
    const at = leavesOut ? rest.findIndex((one) => pattern.test(one)) : 0;
    const match = pattern.exec(rest[at] ?? '');
    if (match === null) missing.push(`it shows: ${line}`);
    for (const [index, name] of names.entries()) found.set(name, match?.[index + 1] ?? '');
    if (match !== null || !leavesOut) rest.splice(0, at + 1);
  }
  const more = leavesOut ? [] : rest.map((line) => `it does not show: ${line}`);
  if (missing.length + more.length === 0) for (const [name, id] of found) ids.set(name, id);
  return [...missing, ...more];
}

interface Pattern {
  line: string;
  pattern: RegExp;
  /** The ids that its groups stand for. */
  names: string[];
}

/** `...` at the end of a line stands for the rest of it. */
function patternOf(line: string, ids: Ids): Pattern {
  const names: string[] = [];
  let source = '';
  let at = 0;
  while (at < line.length) {
    const [id] = matchAt(ID, line, at) ?? [];
    const [length, piece] = id === undefined ? pieceAt(line, at) : [id.length, ids.get(id) ?? `(${ANY_ID})`];
    if (id !== undefined && !ids.has(id)) names.push(id);
    source += piece;
    at += length;
  }
  return { line, pattern: new RegExp(`^${source} *$`), names };
}

function pieceAt(line: string, at: number): [number, string] {
  if (line.slice(at) === '...') return [3, '.*'];
  // The last runs of a task: as many signs as there were runs.
  const [signs] = matchAt(/(?<= )[.F]+(?= {2})/y, line, at) ?? [];
  if (signs !== undefined) return [signs.length, '[.Fr-]*'];
  for (const [from, to] of WILDCARDS) {
    const [found] = matchAt(from, line, at) ?? [];
    if (found !== undefined) return [found.length, to];
  }
  return [1, line.charAt(at).replace(/[.*+?^${}()|[\]\\]/, String.raw`\$&`)];
}

function matchAt(pattern: RegExp, line: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(line);
}
