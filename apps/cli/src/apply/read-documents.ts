import { changedNumber, isKeptNumber, NOT_UTF8 } from '@escapement/core';
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, visit } from 'yaml';
import { linesNotUtf8 } from '../read-bounded.ts';

/** A task as a file has it, and where. */
export interface FileTask {
  file: string;
  line: number;
  value: unknown;
}

/** What is wrong with a file, and where. */
export interface FileProblem {
  file: string;
  line: number;
  message: string;
}

export interface ReadFiles {
  tasks: FileTask[];
  problems: FileProblem[];
}

/** What the aliases of a task may stand for, in all. */
const MAX_ALIASES = 100;
const TOO_MANY_ALIASES = `its aliases (*name) stand for nothing, or for more than ${MAX_ALIASES} nodes; write them out`;

const ENDLESS_ALIAS = 'an alias (*name) stands for what it is a part of; write it out';

/** Brackets; the JSON of a task may be 100 deep. */
const MAX_DEPTH = 200;
const TOO_DEEP = 'it is nested too deep';
/** Of those of one document. */
const MAX_PROBLEMS = 20;

/** Adds the tasks of a text in YAML, or what is wrong with it. JSON is YAML. Never throws for what is in it. */
export function readDocuments(file: string, text: string, read: ReadFiles): void {
  const deepLine = lineOfDeepNesting(text);
  if (deepLine !== undefined) {
    read.problems.push({ file, line: deepLine, message: TOO_DEEP });
    return;
  }
  const foreign = linesNotUtf8(text);
  if (foreign.length > 0) {
    read.problems.push(...worthShowing(foreign.map((line) => ({ file, line, message: NOT_UTF8 }))));
    return;
  }
  const lines = new LineCounter();
  const documents = orProblem({ file, line: 1 }, read, () =>
    Array.from(parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true })),
  );
  for (const document of documents ?? []) {
    const wrong = [...document.errors, ...document.warnings].map((error) => ({
      file,
      line: lines.linePos(error.pos[0]).line,
      message: firstLine(error.message),
    }));
    read.problems.push(...worthShowing(wrong));
    const changed = numbersChanged(document).map(({ written, at }) => ({
      file,
      line: lines.linePos(at).line,
      message: changedNumber(written, 'it').message,
    }));
    read.problems.push(...worthShowing(changed));
    if (document.errors.length > 0 || changed.length > 0 || isEmpty(document.contents)) continue;
    const lineOf = (node: unknown) => lineAt(node, lines);
    const nodes = taskNodes(document.contents);
    if (!nodes) {
      const message = 'neither a task, nor a list of tasks, nor { tasks: [...] }';
      read.problems.push({ file, line: lineOf(document.contents), message });
      continue;
    }
    for (const node of nodes) {
      const place = { file, line: lineOf(node) };
      const value = orProblem(place, read, () => ({ js: node.toJS(document, { maxAliasCount: MAX_ALIASES }) }));
      if (!value) continue;
      if (holdsItself(value.js)) read.problems.push({ ...place, message: ENDLESS_ALIAS });
      else read.tasks.push({ ...place, value: value.js });
    }
  }
}

/** Numbers that would not come back as they are written, and where they stand. */
function numbersChanged(document: Document.Parsed): { written: string; at: number }[] {
  const found: { written: string; at: number }[] = [];
  visit(document, {
    Scalar(_, { value, source, range }) {
      if (typeof value !== 'number' || !Number.isFinite(value) || source === undefined) return;
      if (!isKeptNumber(source.replace(/^\+/, ''))) found.push({ written: source, at: range?.[0] ?? 0 });
    },
  });
  return found;
}

/** A document that holds comments alone is none of tasks. */
function isEmpty(contents: Node | null): contents is null {
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
}

const OPENING = new Set(['[', '{']);
const CLOSING = new Set([']', '}']);

/**
 * The line on which more brackets are open, or more `- ` and `? ` begin at once, than a task ever has; undefined: none. The
 * parser would take time that grows with the square of the depth.
 */
function lineOfDeepNesting(text: string): number | undefined {
  let depth = 0;
  for (const [index, line] of text.split('\n').entries()) {
    for (const character of line) {
      if (OPENING.has(character)) depth += 1;
      else if (CLOSING.has(character)) depth = Math.max(0, depth - 1);
      if (depth > MAX_DEPTH) return index + 1;
    }
    if (/^(\s*[-?:]\s){100}/.test(line)) return index + 1;
  }
  return undefined;
}

/** Each bracket of a nesting without end is a problem of its own to the parser. */
function worthShowing(problems: readonly FileProblem[]): readonly FileProblem[] {
  const tooDeep = problems.find(({ message }) => /call stack/.test(message));
  if (tooDeep) return [{ ...tooDeep, message: TOO_DEEP }];
  const shown = problems.slice(0, MAX_PROBLEMS);
  const last = shown.at(-1);
  const left = problems.length - shown.length;
  return left > 0 && last ? [...shown, { ...last, message: `and ${left} more` }] : shown;
}

/** What the parser throws instead of noting it: aliases of aliases (ReferenceError), nesting without end (RangeError). */
function orProblem<Value>(place: Omit<FileProblem, 'message'>, read: ReadFiles, parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    const message = error instanceof RangeError ? TOO_DEEP : TOO_MANY_ALIASES;
    read.problems.push({ ...place, message });
    return undefined;
  }
}

/** What it is made of contains it: YAML can say that, JSON cannot. */
function holdsItself(value: unknown, above: readonly object[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (above.includes(value)) return true;
  const within = [...above, value];
  return Object.values(value).some((inner) => holdsItself(inner, within));
}

/** The nodes of the tasks in a document; undefined: it is something else. */
function taskNodes(contents: Node): Node[] | undefined {
  if (isSeq<Node>(contents)) return contents.items;
  if (!isMap(contents)) return undefined;
  if (!contents.has('tasks')) return [contents];
  const tasks = contents.get('tasks', true);
  return isSeq<Node>(tasks) && contents.items.length === 1 ? tasks.items : undefined;
}

function lineAt(node: unknown, lines: LineCounter): number {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) ? lines.linePos(Number(range[0])).line : 1;
}

/** The parser's own messages go on with an excerpt. */
function firstLine(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+:?$/, '');
}
