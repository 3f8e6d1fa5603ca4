import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root as repository } from '../scripts/process.mjs';

const CONFIG = `export default {
  test: { projects: [{ test: { name: 'unit', globals: true, isolate: false, maxWorkers: 2, include: ['*.test.ts'] } }] },
};`;
const GOOD = `test('is good', () => undefined);`;
const BAD = `test('is bad', () => expect(1).toBe(2));`;
const LOOP = `test('loops', () => { for (;;); });`;

/** In a process of its own: one Vitest does not run in another. */
const RUNS = `
const { startSession } = await import(process.env.SESSION);
const session = await startSession(process.cwd());
const said = [];
for (const files of JSON.parse(process.env.RUNS)) said.push(await session.run(files, Number(process.env.LIMIT_MS)));
console.log(JSON.stringify(said.map(({ failed, ended, times }) => ({ failed, ended, told: times.size }))));
await session.close();
// Vitest says that files failed.
process.exit(0);
`;

interface Answers {
  failed: string[];
  ended: boolean;
  /** How many files said anything. */
  told: number;
}

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'escapement-session-')));
  writeFileSync(path.join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(root, 'vitest.config.ts'), CONFIG);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Some files of that text. */
function written(name: string, text: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const file = `${name}${index}.test.ts`;
    writeFileSync(path.join(root, file), text);
    return file;
  });
}

/** What runs of files said, each of which may take so long. */
async function told(runs: readonly (readonly string[])[], limitMs: number): Promise<Answers[]> {
  const { NODE_ENV: _node, VITEST: _vitest, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', path.join(repository, 'node_modules/tsx/dist/esm/index.mjs'), '--input-type=module', '--eval', RUNS],
    {
      cwd: root,
      env: {
        ...env,
        SESSION: path.join(repository, 'scripts/mutants/session.ts'),
        RUNS: JSON.stringify(runs),
        LIMIT_MS: String(limitMs),
      },
    },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** Nothing comes near it, on whatever machine. */
const NO_LIMIT_MS = 100_000;

test('what loops is ended at the limit, however many files do, and the next files run', async () => {
  const good = written('good', GOOD, 1);
  const [first, second] = await told([written('loop', LOOP, 3), good], 2000);
  expect(first).toEqual({ failed: [], ended: true, told: 0 });
  // On a busy machine it may not come so far within the limit.
  expect(second?.failed).toEqual([]);
  expect(second?.told === 1 || second?.ended).toBe(true);
});

test('what loops beside a failure is ended too', async () => {
  const [good, bad] = [written('good', GOOD, 1), written('bad', BAD, 1)];
  const [first, second] = await told([[...bad, ...written('loop', LOOP, 1)], good], 5000);
  // On a busy machine it may not come so far within the limit.
  expect(first?.ended || first?.failed).toEqual(first?.ended || bad);
  expect(second?.failed).toEqual([]);
});

test('a failure is told, and ends the other files; the next run has all of its own', async () => {
  const [good, bad] = [written('good', GOOD, 8), written('bad', BAD, 8)];
  const both = [...good, ...bad];
  const said = await told([both, good, both, good, both, good], NO_LIMIT_MS);
  for (const [index, { failed, ended, told: count }] of said.entries()) {
    expect(ended).toBe(false);
    if (index % 2 === 1) expect([failed, count]).toEqual([[], 8]);
    else expect(failed.every((file) => bad.includes(file)) && failed.length).toBeGreaterThan(0);
  }
});
