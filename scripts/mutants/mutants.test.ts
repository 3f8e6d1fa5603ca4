import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../process.mjs';
import { AREAS, filesOf } from './areas.ts';
import { createBaseline } from './baseline.ts';
import { mutantsOf } from './catalogue.ts';
import { codeMutants } from './code-mutants.ts';
import { draw } from './draw.ts';
import { importGraph } from './import-graph.ts';
import { isMarked, isOf, markersOf } from './markers.ts';
import { type Mutant, mutate } from './mutant.ts';
import { readOptions } from './options.ts';
import { isGood, outcomeOf, scoreLine } from './score.ts';
import type { Session } from './session.ts';
import { testsOf } from './tests-of.ts';
import { luaMutants, sqlMutants } from './text-mutants.ts';

const graph = importGraph(root, ['packages', 'apps']);

const ofCode = (source: string) =>
  codeMutants('a.ts', source).map((mutant) => [mutant.operator, mutate(source, mutant)]);
const ofText = (found: typeof sqlMutants, source: string) =>
  found(source).map((one) => mutate(source, { file: 'a', ...one }));

test('code: borders, constants beside them, negation, and/or', () => {
  expect(ofCode('export const f = (a: number, b: boolean) => a < 1 && !b;')).toEqual(
    expect.arrayContaining([
      ['border', 'export const f = (a: number, b: boolean) => a <= 1 && !b;'],
      ['constant', 'export const f = (a: number, b: boolean) => a < 2 && !b;'],
      ['and/or', 'export const f = (a: number, b: boolean) => a < 1 || !b;'],
      ['negation', 'export const f = (a: number, b: boolean) => a < 1 && b;'],
    ]),
  );
});

test('code: statements and guards are taken away, awaited calls too; types are left alone', () => {
  const source = 'async function f(a: 1 | true) { if (a) return; await g(); }';
  expect(ofCode(source)).toEqual([
    ['negation', 'async function f(a: 1 | true) { if (!(a)) return; await g(); }'],
    ['guard removed', 'async function f(a: 1 | true) { ; await g(); }'],
    ['statement removed', 'async function f(a: 1 | true) { if (a) return; ; }'],
  ]);
});

test('code: a fault in SQL or Lua is one that the compiler does not read', () => {
  const source = 'if (a < b) db.query(`SELECT 1 FROM t WHERE a < b`);';
  const borders = codeMutants('a.ts', source).filter(({ operator }) => operator === 'border');
  expect(borders.map(({ isForeign = false }) => isForeign)).toEqual([false, true]);
});

test('SQL: predicates, locks, borders, negation; comments and words in quotes are left alone', () => {
  const source = "SELECT 1 FROM t -- a < b\nWHERE a < 'x < y' AND NOT EXISTS (SELECT 2) FOR UPDATE SKIP LOCKED";
  const found = ofText(sqlMutants, source).map((text) => text.slice(source.indexOf('WHERE')));
  expect(found.sort()).toEqual(
    [
      "WHERE a <= 'x < y' AND NOT EXISTS (SELECT 2) FOR UPDATE SKIP LOCKED",
      "WHERE a < 'x < y' AND EXISTS (SELECT 2) FOR UPDATE SKIP LOCKED",
      "WHERE a < 'x < y'  FOR UPDATE SKIP LOCKED",
      'WHERE true AND NOT EXISTS (SELECT 2) FOR UPDATE SKIP LOCKED',
      "WHERE a < 'x < y' AND NOT EXISTS (SELECT 2) ",
      "WHERE a < 'x < y' AND NOT EXISTS (SELECT 2) FOR UPDATE",
    ].sort(),
  );
});

test('left out, as nobody could see it: a border at the clock of the server; null for undefined, handed to Postgres', () => {
  expect(ofText(sqlMutants, 'SELECT 1 FROM t WHERE a <= now() - $1')).toEqual(['SELECT 1 FROM t WHERE true']);
  expect(ofText(sqlMutants, 'SELECT 1 FROM t WHERE now() < b')).toEqual(['SELECT 1 FROM t WHERE true']);
  expect(ofText(sqlMutants, 'SELECT 1 FROM t WHERE a < b')).toHaveLength(2);
  const values = (each: string) => ofCode(`const f = (x, rows) => [${each}];`).map(([operator]) => operator);
  expect([values('x ?? null'), values('rows.map((row) => row.x ?? null)')]).toEqual([[], []]);
  expect([values('x ?? 0'), values('rows.map((row) => row.x ?? 0)')]).toEqual([['default'], ['default']]);
});

test('Lua: equality, and/or, negation', () => {
  expect(ofText(luaMutants, "if not x and y == 1 then redis.call('DEL', k) end")).toEqual([
    "if not x and y ~= 1 then redis.call('DEL', k) end",
    "if not x or y == 1 then redis.call('DEL', k) end",
    "if x and y == 1 then redis.call('DEL', k) end",
  ]);
});

test('a seed draws the same again, and another seed something else', () => {
  const all = Array.from({ length: 50 }, (_, index) => index);
  expect(draw(all, 7)).toEqual(draw(all, 7));
  expect(draw(all, 7)).not.toEqual(draw(all, 8));
  expect(draw(all, 7).sort((one, other) => one - other)).toEqual(all);
});

test('options: what is not given has its default; what is wrong is named with what is allowed', () => {
  const read = (args: readonly string[]) => readOptions(args, root);
  expect(read([])).toEqual({ seed: 1, count: 100, skip: 0, areas: AREAS, list: false });
  const given = ['--seed', '7', '--count', '3', '--skip', '4', '--only', 'queue', '--only', 'core'];
  expect(read(given)).toMatchObject({
    seed: 7,
    count: 3,
    skip: 4,
    areas: [{ name: 'queue' }, { name: 'core' }],
  });
  const wrong = (...args: string[]) => expect(() => read(args));
  wrong('--only', 'cores').toThrow('--only is "cores": give core, queue, scheduler, store');
  wrong('--count', 'many').toThrow('--count is "many": give a whole number, 1 or more');
  wrong('--count', '0').toThrow('--count is "0"');
  wrong('--seed', '').toThrow('--seed is "": give a whole number, 0 or more');
  wrong('--skip', '1.5').toThrow('--skip is "1.5"');
  const file = 'packages/core/src/verdict.ts';
  const tests = 'packages/core/src/verdict.test.ts';
  expect(read(['--file', file, '--tests', tests])).toMatchObject({
    areas: [{ name: 'core' }],
    file: { path: file, line: undefined },
    tests: [tests],
  });
  expect(read(['--file', `${file}:12`]).file).toEqual({ path: file, line: 12 });
  wrong('--file', 'verdict.ts').toThrow('--file is "verdict.ts": give a file of an area');
  wrong('--tests', file).toThrow(`--tests is "${file}": give a file of tests`);
  wrong('--tests', 'packages/core/src/none.test.ts').toThrow('none.test.ts": give a file of tests');
});

test('an area in which nothing was judged is not good', () => {
  const [area] = AREAS;
  if (!area) throw new Error('there are no areas');
  const score = { area, found: 0, survived: 0, equivalent: 2, stale: 0, none: 1, next: 3 };
  expect([isGood(score), scoreLine(score)]).toEqual([
    false,
    'core: nothing was judged; 2 equivalent, 0 with a stale marker, 1 that do not compile, and --skip leaves out the others',
  ]);
  expect([isGood({ ...score, found: 95, survived: 5 }), isGood({ ...score, found: 94, survived: 6 })]).toEqual([
    true,
    false,
  ]);
});

/** A session in which files say what they are told to. */
function sessionOf(red: readonly string[]): Session & { ran: string[][] } {
  const ran: string[][] = [];
  return {
    ran,
    async run(files) {
      ran.push([...files]);
      const failed = files.filter((file) => red.includes(file));
      return {
        failed,
        failures: failed.map((file) => `${file}: no`),
        times: new Map(files.map((file) => [file, 10])),
        ended: false,
      };
    },
    has: () => true,
    forget: () => undefined,
    servers: () => {
      throw new Error('there are none');
    },
    close: async () => undefined,
  };
}

test('a file of tests is run without a mutant once, when it seems to have found one', async () => {
  const session = sessionOf(['b']);
  const lines: string[] = [];
  const baseline = createBaseline(session, (line) => lines.push(line));
  expect([await baseline.areGreen(['a']), await baseline.areGreen(['a', 'b']), baseline.isRed('b')]).toEqual([
    true,
    false,
    true,
  ]);
  expect([session.ran, lines]).toEqual([[['a'], ['b']], ['red without any mutant, and left out: b: no']]);
  expect(baseline.usualMs(['a', 'b', 'packages/p/test/c.test.ts', 'packages/p/src/d.test.ts'])).toBe(10_520);
});

test('each area has files, each file has tests that reach it', () => {
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
  const files = AREAS.flatMap((area) => filesOf(root, area));
  const functions = new Map(
    files.filter((file) => file.endsWith('.sql')).map((file) => [path.basename(file, '.sql'), read(file)]),
  );
  const withMutants = new Set(AREAS.flatMap((area) => mutantsOf(root, area)).map(({ file }) => file));
  const untested = [...withMutants].filter((file) => testsOf(graph, file, functions).length === 0);
  expect(untested).toEqual([]);
  expect(AREAS.map((area) => filesOf(root, area).length > 0)).toEqual(AREAS.map(() => true));
});

test('a test that imports a whole index reaches what that hands on; long ones, which do not run, take no place', () => {
  const all = 'packages/store/test/scope.test.ts';
  const file = 'packages/store/src/runs/wait-run.ts';
  const asked = testsOf(graph, file, new Map());
  expect(asked.at(-1)).toBe(all);
  // Of those of other packages another one is asked in its place.
  const elsewhere = asked.find((test) => !test.startsWith('packages/store/')) ?? '';
  const without = testsOf(graph, file, new Map(), (test) => test !== elsewhere);
  expect([without.includes(elsewhere), without.length]).toEqual([false, asked.length]);
});

test('a marker is for the line below: for all mutants by its operator, or those at a text', () => {
  const source = `// Equivalent mutant (border): the reason.
// Equivalent mutant (predicate removed, b AND): the reason.
if (a < 1) f(\`SELECT 1 WHERE b AND c\`);
if (a < 2) f();`;
  const marked = codeMutants('a.ts', source).filter((mutant) => isMarked(source, mutant));
  expect(marked.map(({ start, end }) => source.slice(start, end))).toEqual(['<', 'WHERE b']);
  const first = { ...marked[0], start: source.lastIndexOf('<'), end: source.lastIndexOf('<') + 1 } as Mutant;
  expect(isMarked(source, first)).toBe(false);
});

test('a marker of a mutant that tests find is stale, which is not good', () => {
  expect(outcomeOf({ kind: 'found', by: 'a test' }, true)).toBe('stale');
  expect(outcomeOf({ kind: 'survived', files: 3 }, true)).toBe('equivalent');
  expect(outcomeOf({ kind: 'survived', files: 3 }, false)).toBe('survived');
  const [area] = AREAS;
  if (!area) throw new Error('there are no areas');
  expect(isGood({ area, found: 100, survived: 0, equivalent: 0, stale: 1, none: 0, next: 101 })).toBe(false);
});

test('each marker stands above a mutant that can be drawn', () => {
  const left = AREAS.flatMap((area) => {
    const mutants = mutantsOf(root, area);
    return filesOf(root, area).flatMap((file) => {
      const source = readFileSync(path.join(root, file), 'utf8');
      const own = mutants.filter((mutant) => mutant.file === file);
      const markers = markersOf(source);
      const written = source.match(/equivalent mutant/gi)?.length ?? 0;
      const wrong = markers.filter((marker) => !own.some((mutant) => isOf(marker, source, mutant)));
      return written === markers.length && wrong.length === 0 ? [] : [{ file, written, wrong }];
    });
  });
  expect(left).toEqual([]);
});
