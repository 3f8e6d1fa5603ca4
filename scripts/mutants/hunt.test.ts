import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBaseline } from './baseline.ts';
import { hunt } from './hunt.ts';
import type { Session } from './session.ts';

const FILE = 'packages/p/src/a.ts';
const SOURCE = 'export const a = 1 < 2;\n';
const MUTANT = { file: FILE, operator: 'border', start: 19, end: 20, text: '<=' };

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'escapement-hunt-'));
  mkdirSync(path.join(root, 'packages/p/src'), { recursive: true });
  writeFileSync(path.join(root, FILE), SOURCE);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Report {
  /** Files that fail with the mutant, without it, and that hang with it. */
  find?: readonly string[];
  red?: readonly string[];
  hang?: readonly string[];
  /** What each takes without the mutant. Milliseconds. */
  takesMs?: number;
  failure?: string;
  /** By the compiler. */
  refused?: false | 'with it' | 'always';
}

/** Hunts where files of tests say what they are told to; with the files that ran, and with what limit. */
async function hunted(
  tests: readonly string[],
  { find = [], red = [], hang = [], takesMs = 10, failure = 'no', refused = false }: Report,
) {
  const ran: { files: readonly string[]; limitMs: number | undefined }[] = [];
  const session: Session = {
    async run(files, limitMs) {
      ran.push({ files, limitMs });
      const isIn = readFileSync(path.join(root, FILE), 'utf8') !== SOURCE;
      const failed = files.filter((file) => red.includes(file) || (isIn && find.includes(file)));
      const ended = isIn && files.some((file) => hang.includes(file));
      const times = new Map(files.map((file) => [file, takesMs]));
      return { failed, failures: failed.map((file) => `${file}: ${failure}`), times, ended };
    },
    has: () => true,
    forget: () => undefined,
    servers: () => Promise.reject(new Error('there are none')),
    close: async () => undefined,
  };
  const compiles = async ({ file }: { file: string }) => {
    const isIn = readFileSync(path.join(root, file), 'utf8') !== SOURCE;
    ran.push({ files: [isIn ? 'the compiler' : 'the compiler, without it'], limitMs: undefined });
    return refused === false || (refused === 'with it' && !isIn);
  };
  const baseline = createBaseline(session, () => undefined);
  const verdict = await hunt({ root, session, baseline, compiles }, MUTANT, tests);
  expect(readFileSync(path.join(root, FILE), 'utf8')).toBe(SOURCE);
  return { verdict, ran };
}

const PURE = 'packages/p/src/a.test.ts';
const [ONE, TWO, THREE] = ['one', 'two', 'three'].map((name) => `packages/p/test/${name}.test.ts`) as [
  string,
  string,
  string,
];

test('pure files look first, then two at a time, until one has found it; that one is run without it', async () => {
  const { verdict, ran } = await hunted([ONE, TWO, PURE, THREE], { find: [TWO, THREE] });
  expect(verdict).toEqual({ kind: 'found', by: `${TWO}: no` });
  expect(ran.map(({ files }) => files)).toEqual([[PURE], [ONE, TWO], [TWO]]);
  expect(ran.map(({ limitMs }) => limitMs)).toEqual([22_000, 100_000, undefined]);
});

test('what the nearest files did not find, and the compiler refuses, is no fault', async () => {
  const turns = [[PURE], [ONE, TWO], ['the compiler']];
  const refused = await hunted([PURE, ONE, TWO, THREE], { find: [THREE], refused: 'with it' });
  expect(refused.verdict).toEqual({ kind: 'none' });
  expect(refused.ran.map(({ files }) => files)).toEqual([...turns, ['the compiler, without it']]);
  const taken = await hunted([PURE, ONE, TWO, THREE], { find: [THREE] });
  expect(taken.verdict).toEqual({ kind: 'found', by: `${THREE}: no` });
  expect(taken.ran.map(({ files }) => files)).toEqual([...turns, [THREE], [THREE]]);
});

test('where the compiler refuses the code as it is, the hunt ends: each survivor would seem to be no fault', async () => {
  await expect(hunted([ONE], { refused: 'always' })).rejects.toThrow(`without any mutant ${FILE} does not compile`);
});

test('a file that is red without it finds nothing, and the others are asked again', async () => {
  const { verdict, ran } = await hunted([ONE, TWO, THREE], { find: [THREE], red: [ONE] });
  expect(verdict).toEqual({ kind: 'found', by: `${THREE}: no` });
  expect(ran.map(({ files }) => files)).toEqual([[ONE, TWO], [ONE], [TWO, THREE], [THREE]]);
  expect((await hunted([ONE, TWO], { red: [ONE] })).verdict).toEqual({ kind: 'survived', files: 1 });
});

test('what does not end has found it if it was given time enough, else it is given more', async () => {
  const quick = await hunted([ONE], { hang: [ONE] });
  expect(quick.verdict).toEqual({ kind: 'found', by: 'no end within 60 s' });
  // It is run without the mutant each time: the machine may be slower than it was.
  const slow = await hunted([ONE], { hang: [ONE], takesMs: 40_000 });
  expect(slow.verdict).toEqual({ kind: 'found', by: 'no end within 120 s' });
  expect(slow.ran.map(({ limitMs }) => limitMs)).toEqual([60_000, undefined, 120_000, undefined]);
});

test.each([
  'syntax error at or near "AND"',
  'could not determine data type of parameter $2',
  'bind message supplies 3 parameters, but prepared statement "x" requires 2',
  'column r.x does not exist',
  'function rate_of(text) does not exist',
])('what cannot be read is no fault: %s', async (failure) => {
  expect((await hunted([ONE], { find: [ONE], failure })).verdict).toEqual({ kind: 'none' });
});

test('what the product itself says does not exist is read', async () => {
  const failure = 'the function of task nightly does not exist';
  expect((await hunted([ONE], { find: [ONE], failure })).verdict.kind).toBe('found');
});
