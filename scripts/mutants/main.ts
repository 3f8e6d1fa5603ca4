// Puts small faults into the code, one at a time, and counts how many of them the tests find. Started by scripts/mutants.mjs.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Area } from './areas.ts';
import { createBaseline } from './baseline.ts';
import { mutantsOf } from './catalogue.ts';
import { createCompiler } from './compiler.ts';
import { draw } from './draw.ts';
import { filesBelow } from './files.ts';
import { type Hunt, hunt } from './hunt.ts';
import { importGraph } from './import-graph.ts';
import { isMarked } from './markers.ts';
import { diffOf, lineNumber, type Mutant } from './mutant.ts';
import { type Options, readOptions } from './options.ts';
import { isGood, type Outcome, outcomeOf, type Score, scoreLine } from './score.ts';
import { endWorkers, startSession } from './session.ts';
import { testsOf } from './tests-of.ts';
import { copyTree } from './tree.ts';

const original = fileURLToPath(new URL('../..', import.meta.url));

/** The area whose tests need no servers. */
const PURE = 'core';

/** Finds the files of tests that reach a file. */
type TestsOf = (file: string) => readonly string[];

/** Returns the exit code. */
async function main(options: Options): Promise<number> {
  if (options.list) {
    for (const area of options.areas) console.log(`${area.name}: ${asked(original, area, options).length} mutants`);
    return 0;
  }
  const tree = copyTree(original);
  process.on('exit', () => {
    endWorkers();
    tree.remove();
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const session = await startSession(tree.root);
  const where: Hunt = {
    root: tree.root,
    session,
    baseline: createBaseline(session, (line) => console.log(line)),
    compiles: createCompiler(tree.root),
  };
  // What tests with servers need is built meanwhile: a mutant that is judged first must not seem to hang.
  if (options.areas.some(({ name }) => name !== PURE)) await session.servers();
  const scores: Score[] = [];
  const tests = options.tests ? () => options.tests ?? [] : reaching(tree.root, session.has);
  for (const area of options.areas) scores.push(await judge(area, options, where, tests));
  await session.close();
  console.log(
    options.file ? '' : `\nseed ${options.seed}${options.skip > 0 ? `, without the first ${options.skip}` : ''}`,
  );
  for (const score of scores) console.log(scoreLine(score));
  return scores.every(isGood) ? 0 : 1;
}

function reaching(root: string, isRun: (test: string) => boolean): TestsOf {
  const graph = importGraph(root, ['packages', 'apps']);
  const functions = new Map(
    filesBelow(root, 'prisma/functions').map((file) => [
      path.basename(file, '.sql'),
      readFileSync(path.join(root, file), 'utf8'),
    ]),
  );
  return (file) => testsOf(graph, file, functions, isRun);
}

async function judge(area: Area, options: Options, where: Hunt, tests: TestsOf): Promise<Score> {
  const { count, skip, areas, file } = options;
  const score: Score = { area, found: 0, survived: 0, equivalent: 0, stale: 0, none: 0, next: skip };
  const share = file ? Number.POSITIVE_INFINITY : Math.ceil(count / areas.length);
  for (const mutant of asked(where.root, area, options).slice(skip)) {
    // What cannot be judged is replaced by the next.
    if (score.found + score.survived === share) break;
    await judgeOne(score, mutant, where, tests);
    score.next += 1;
  }
  return score;
}

function asked(root: string, area: Area, { seed, file }: Options): Mutant[] {
  const all = mutantsOf(root, area);
  if (!file) return draw(all, seed);
  const own = all.filter((mutant) => mutant.file === file.path);
  if (file.line === undefined) return own;
  const source = readFileSync(path.join(root, file.path), 'utf8');
  return own.filter((mutant) => lineNumber(source, mutant) === file.line);
}

/** Outcomes that are printed. */
const LABELS: Partial<Record<Outcome, string>> = {
  found: 'found   ',
  survived: 'SURVIVED',
  stale: 'STALE MARKER',
};

async function judgeOne(score: Score, mutant: Mutant, where: Hunt, tests: TestsOf): Promise<void> {
  const source = readFileSync(path.join(where.root, mutant.file), 'utf8');
  const began = performance.now();
  const verdict = await hunt(where, mutant, tests(mutant.file));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const outcome = outcomeOf(verdict, isMarked(source, mutant));
  score[outcome] += 1;
  const label = LABELS[outcome];
  if (label === undefined || verdict.kind === 'none') return;
  const tail = verdict.kind === 'found' ? verdict.by.split('\n')[0]?.slice(0, 160) : `${verdict.files} files of tests`;
  console.log(`${label} ${seconds} s ${diffOf(source, mutant)}\n  ${tail}`);
}

function optionsOrEnd(): Options {
  try {
    return readOptions(process.argv.slice(2), original);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

process.exit(await main(optionsOrEnd()));
