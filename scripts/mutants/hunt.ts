import type { Baseline } from './baseline.ts';
import { withMutant } from './fault.ts';
import { isPure } from './files.ts';
import type { Mutant } from './mutant.ts';
import type { Session } from './session.ts';

/** What takes so long to start, and so many times as long as without a fault, hangs. */
const START_MS = 20_000;
const SLOWER = 4;
/** Whatever is known of the files: a hunt goes on. */
const LONGEST_MS = 120_000;
/** Files with servers that run at once: the nearest find most mutants, and the others need not run then. */
const AT_ONCE = 2;
/** What the pure files and the nearest others did not find, the compiler may refuse: it is quicker than the many others. */
const BEFORE_COMPILER = 2;

/**
 * What cannot be read, or lacks a name, a type or a parameter that it needs: any test says so that runs it, whatever it asks for. No
 * such fault is ever left in.
 */
const UNREADABLE = new RegExp(
  [
    'SyntaxError|syntax error at or near',
    'could not determine data type of parameter|bind message supplies \\d+ parameters',
    'missing FROM-clause entry|operator does not exist|(?:column|relation) "?[\\w.]+"? does not exist|function [\\w.]+\\([^)]*\\) does not exist',
    'must be type boolean|must appear in the GROUP BY clause',
  ].join('|'),
);

export type Verdict =
  | { kind: 'found'; by: string }
  | { kind: 'survived'; files: number }
  /** It does not compile, or no test can tell why it should not. */
  | { kind: 'none' };

export interface Hunt {
  root: string;
  session: Session;
  baseline: Baseline;
  /** Whether the package of a mutant's file compiles as it stands now. */
  compiles: (mutant: Mutant) => Promise<boolean>;
}

interface Suspicion {
  /** The files that may have found the mutant. */
  files: readonly string[];
  by: string;
  /** They were ended after so long; undefined: they ended by themselves. Milliseconds. */
  endedAfterMs: number | undefined;
}

/** Whether some test finds a mutant, the nearest asked first. What a test that is red without it says does not count. */
export async function hunt(where: Hunt, mutant: Mutant, tests: readonly string[]): Promise<Verdict> {
  const files = tests.filter((file) => !where.baseline.isRed(file));
  const turns = inTurn(files);
  let suspicion: Suspicion | undefined;
  let compiles = true;
  const isOne = await withMutant(where, mutant, async () => {
    suspicion = await suspect(where, turns.slice(0, BEFORE_COMPILER));
    compiles = suspicion !== undefined || (await where.compiles(mutant));
    if (compiles) suspicion ??= await suspect(where, turns.slice(BEFORE_COMPILER));
  });
  // Where nothing compiles, nothing would be a survivor.
  if (!compiles && !(await where.compiles(mutant)))
    throw new Error(`without any mutant ${mutant.file} does not compile`);
  if (!isOne || !compiles) return { kind: 'none' };
  if (!suspicion) return { kind: 'survived', files: files.length };
  if (UNREADABLE.test(suspicion.by)) return { kind: 'none' };
  return (await holds(suspicion, where.baseline))
    ? { kind: 'found', by: suspicion.by }
    : await hunt(where, mutant, files);
}

/** Whether the mutant is the reason: without it the files are green, and were given time enough. */
async function holds({ files, endedAfterMs }: Suspicion, baseline: Baseline): Promise<boolean> {
  if (endedAfterMs === undefined) return await baseline.areGreen(files);
  baseline.forget(files);
  return (await baseline.areGreen(files)) && endedAfterMs >= Math.min(LONGEST_MS, 2 * baseline.usualMs(files));
}

async function suspect(
  { session, baseline }: Hunt,
  turns: readonly (readonly string[])[],
): Promise<Suspicion | undefined> {
  for (const some of turns) {
    const limitMs = Math.min(LONGEST_MS, START_MS + SLOWER * baseline.usualMs(some));
    const { failed, failures, ended } = await session.run(some, limitMs);
    const endedAfterMs = ended ? limitMs : undefined;
    // Of a process that was ended Vitest says no more than that it is gone.
    const hung = ended ? `no end within ${limitMs / 1000} s` : undefined;
    const by = failed.length > 0 ? failures[0] : (hung ?? failures[0]);
    // A process that was ended may not say which file it was at.
    if (by !== undefined) return { files: failed.length > 0 ? failed : some, by, endedAfterMs };
  }
  return undefined;
}

/** Pure files are quick, and run together; then the others, a few at a time. */
function inTurn(files: readonly string[]): string[][] {
  const others = files.filter((file) => !isPure(file));
  const turns = [files.filter(isPure)];
  for (let from = 0; from < others.length; from += AT_ONCE) turns.push(others.slice(from, from + AT_ONCE));
  return turns.filter((turn) => turn.length > 0);
}
