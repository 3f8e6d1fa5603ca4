import path from 'node:path';
import { isTest } from './files.ts';
import type { ImportGraph } from './import-graph.ts';

const DATABASE = 'packages/store/src/postgres/database.ts';
/** Folders, and words that say nothing. */
const COMMON = new Set(['src', 'test', 'runs', 'run', 'functi']);
/** No more than so many files of tests with servers of other packages look for one mutant: the nearest. Those of its own package all do. */
const MOST_ELSEWHERE = 12;
/** It calls all that the package of the ledger exports beside what it must leave alone: it is asked last, however far away. */
const CALLS_ALL = 'packages/store/test/scope.test.ts';
/** Its pure tests alone keep it. */
const PURE = 'packages/core';

/**
 * The files of tests that reach a file: the pure ones of its package, and the nearest of the others. Near is what is named alike, then
 * what is few imports away, in its own package before others. A function of the database is reached through the modules whose SQL names it, or names a function that does.
 * `isRun`: those that are run at all.
 */
export function testsOf(
  graph: ImportGraph,
  file: string,
  functions: ReadonlyMap<string, string>,
  isRun: (test: string) => boolean = () => true,
): string[] {
  const name = path.basename(file, '.sql');
  const isSql = file.endsWith('.sql');
  const targets = isSql ? callersOf(name, functions).flatMap((caller) => graph.mentions(caller)) : [file];
  // A trigger nobody calls: who names one speaks of it alone.
  if (targets.length === 0 || /\bRETURNS trigger\b/.test(functions.get(name) ?? '')) targets.push(DATABASE);
  const distances = graph.distancesTo(targets);
  const home = packageOf(file);
  const words = isSql ? [file, ...targets].flatMap(wordsOf) : wordsOf(file);
  const alike = (test: string) => Math.min(2, wordsOf(test).filter((word) => words.includes(word)).length);
  const away = (test: string) => (distances.get(test) ?? 0) + (packageOf(test) === home ? 0 : 2);
  const tests = [...distances.keys()]
    .filter((each) => isTest(each) && /^(packages|apps)\//.test(each) && isRun(each))
    .sort((one, other) => alike(other) - alike(one) || away(one) - away(other));
  const isPure = (test: string) => test.startsWith(`${home}/src/`);
  const withServers = tests.filter((test) => !isPure(test) && test !== CALLS_ALL);
  const elsewhere = withServers.filter((test) => packageOf(test) !== home).slice(0, MOST_ELSEWHERE);
  const isAsked = (test: string) => packageOf(test) === home || elsewhere.includes(test);
  const others = home === PURE ? [] : withServers.filter(isAsked);
  const last = packageOf(CALLS_ALL) === home && tests.includes(CALLS_ALL) ? [CALLS_ALL] : [];
  return [...tests.filter(isPure), ...others, ...last];
}

/** A function and those that call it, and so on. */
function callersOf(name: string, functions: ReadonlyMap<string, string>): string[] {
  const found = new Set([name]);
  for (const called of found) {
    for (const [caller, sql] of functions) if (new RegExp(`\\b${called}\\b`).test(sql)) found.add(caller);
  }
  return [...found];
}

/** The beginnings of the words in the name of a file and of its folder: `reconciler/lost-runs.ts` is near `reconcile.test.ts`. */
function wordsOf(file: string): string[] {
  const name = file
    .split('/')
    .slice(-2)
    .join('-')
    .replace(/\.(?:test\.)?(?:ts|sql)$/, '');
  return name
    .split(/[-_]/)
    .map((word) => word.slice(0, 6))
    .filter((word) => !COMMON.has(word));
}

function packageOf(file: string): string {
  return file.startsWith('prisma/') ? 'packages/store' : file.split('/').slice(0, 2).join('/');
}
