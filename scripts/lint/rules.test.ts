import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bin, root } from '../process.mjs';

/** A file of a made-up tree, what stands in it, and the message the lint must give: none where it is allowed. */
interface Rule {
  title: string;
  file: string;
  text: string;
  refused?: RegExp;
}

const rules: Rule[] = [
  {
    title: 'core imports nothing of ours',
    file: 'packages/core/src/a.ts',
    text: use('@escapement/store'),
    refused: /core imports nothing/,
  },
  {
    title: 'store never imports queue',
    file: 'packages/store/src/a.ts',
    text: use('@escapement/queue'),
    refused: /store imports core only/,
  },
  {
    title: 'queue never imports store',
    file: 'packages/queue/src/a.ts',
    text: use('@escapement/store'),
    refused: /queue imports core only/,
  },
  { title: 'scheduler imports queue', file: 'packages/scheduler/src/a.ts', text: use('@escapement/queue') },
  { title: 'worker imports operations', file: 'packages/worker/src/a.ts', text: use('@escapement/operations') },
  {
    title: 'scheduler never imports worker',
    file: 'packages/scheduler/src/b.ts',
    text: use('@escapement/worker'),
    refused: /scheduler imports/,
  },
  {
    title: 'worker never imports scheduler',
    file: 'packages/worker/src/b.ts',
    text: use('@escapement/scheduler'),
    refused: /worker imports/,
  },
  {
    title: 'worker never imports handlers',
    file: 'packages/worker/src/g.ts',
    text: use('@escapement/handlers'),
    refused: /worker imports/,
  },
  {
    title: 'the command line reads the store',
    file: 'apps/cli/src/g.ts',
    text: use('@escapement/store', 'findRun'),
  },
  {
    title: 'the command line never acts in the store',
    file: 'apps/cli/src/h.ts',
    text: use('@escapement/store', 'requestCancel'),
    refused: /an action is a function of operations/,
  },
  {
    title: 'the command line does not take all of the store',
    file: 'apps/cli/src/i.ts',
    text: use('@escapement/store'),
    refused: /an action is a function of operations/,
  },
  {
    title: 'client never acts in the store',
    file: 'packages/client/src/f.ts',
    text: use('@escapement/store', 'requestCancel'),
    refused: /an action is a function of operations/,
  },
  {
    title: 'formats never imports store',
    file: 'packages/formats/src/a.ts',
    text: use('@escapement/store'),
    refused: /formats imports core only/,
  },
  { title: 'operations import formats', file: 'packages/operations/src/c.ts', text: use('@escapement/formats') },
  {
    title: 'worker never imports formats',
    file: 'packages/worker/src/h.ts',
    text: use('@escapement/formats'),
    refused: /worker imports/,
  },
  {
    title: 'operations never import queue',
    file: 'packages/operations/src/a.ts',
    text: use('@escapement/queue'),
    refused: /operations import core, formats and store only/,
  },
  {
    title: 'operations never import service',
    file: 'packages/operations/src/b.ts',
    text: use('@escapement/service'),
    refused: /operations import core, formats and store only/,
  },
  {
    title: 'runtime never imports scheduler',
    file: 'packages/runtime/src/a.ts',
    text: use('@escapement/scheduler'),
    refused: /runtime imports/,
  },
  {
    title: 'service never imports queue',
    file: 'packages/service/src/b.ts',
    text: use('@escapement/queue'),
    refused: /service imports core and store only/,
  },
  {
    title: 'client never imports queue',
    file: 'packages/client/src/a.ts',
    text: use('@escapement/queue'),
    refused: /client imports/,
  },
  {
    title: 'sdk never imports operations',
    file: 'packages/sdk/src/a.ts',
    text: use('@escapement/operations'),
    refused: /sdk imports core only/,
  },
  {
    title: 'the API writes through operations alone',
    file: 'packages/api/src/a.ts',
    text: "import { saveTask } from '@escapement/store';\nexport const x = saveTask;\n",
    refused: /The API only reads the store/,
  },
  {
    title: 'the API knows no queue',
    file: 'packages/api/src/b.ts',
    text: use('@escapement/queue'),
    refused: /api imports core, formats, operations, service and store only/,
  },
  {
    title: 'the fleet of a developer starts workers, and is none',
    file: 'packages/dev/src/a.ts',
    text: use('@escapement/worker'),
    refused: /dev imports core, operations, servers and store only/,
  },
  {
    title: 'apps never import apps',
    file: 'apps/cli/src/a.ts',
    text: use('@escapement/worker-app'),
    refused: /Apps never import apps/,
  },
  {
    title: 'apps never import testkit',
    file: 'apps/cli/src/b.ts',
    text: use('@escapement/testkit'),
    refused: /testkit is for tests/,
  },
  {
    title: 'the command line never loads BullMQ',
    file: 'apps/cli/src/e.ts',
    text: use('@escapement/queue'),
    refused: /never loads BullMQ/,
  },
  {
    title: 'the command line may look at the Redis server',
    file: 'apps/cli/src/f.ts',
    text: use('@escapement/queue/server'),
  },
  {
    title: 'apps never import test-fleet',
    file: 'apps/worker/src/b.ts',
    text: use('@escapement/test-fleet'),
    refused: /testkit is for tests/,
  },
  {
    title: 'test-fleet never imports testkit, which is not for users',
    file: 'packages/test-fleet/src/a.ts',
    text: use('@escapement/testkit'),
    refused: /testkit is for our own tests/,
  },
  { title: 'tests import testkit', file: 'packages/store/test/a.test.ts', text: use('@escapement/testkit') },
  { title: 'store imports pg', file: 'packages/store/src/b.ts', text: use('pg') },
  {
    title: 'worker never imports pg',
    file: 'packages/worker/src/c.ts',
    text: use('pg'),
    refused: /packages\/store only/,
  },
  {
    title: 'a type of pg counts as an import',
    file: 'packages/worker/src/d.ts',
    text: "import type { Pool } from 'pg';\nexport type P = Pool;\n",
    refused: /packages\/store only/,
  },
  {
    title: 'apps never import bullmq',
    file: 'apps/worker/src/a.ts',
    text: use('bullmq'),
    refused: /packages\/queue only/,
  },
  {
    title: 'store never imports ioredis',
    file: 'packages/store/src/c.ts',
    text: use('ioredis'),
    refused: /packages\/queue only/,
  },
  {
    title: 'store never enters core behind its index',
    file: 'packages/store/src/d.ts',
    text: use('@escapement/core/src/clock.ts'),
    refused: /store imports core only/,
  },
  {
    title: 'no path leads into another package',
    file: 'packages/store/src/e.ts',
    text: use('../../core/src/clock.ts'),
    refused: /entered by its name/,
  },
  {
    title: 'a test reaches the source of its own package',
    file: 'packages/store/test/b.test.ts',
    text: use('../src/b.ts'),
  },
  {
    title: 'a package that is not declared is refused',
    file: 'packages/core/src/b.ts',
    text: use('left-pad'),
    refused: /left-pad isn't specified/,
  },
  {
    title: 'imports make no cycle',
    file: 'packages/core/src/c.ts',
    text: "import { d } from './d.ts';\nexport const c = () => d;\n",
    refused: /part of a cycle/,
  },
  {
    title: 'imports of types make no cycle',
    file: 'packages/core/src/m.ts',
    text: "import type { N } from './n.ts';\nexport interface M {\n  n?: N;\n}\n",
    refused: /part of a cycle/,
  },
  {
    title: 'Date.now() is refused',
    file: 'packages/core/src/e.ts',
    text: 'export const now = () => Date.now();\n',
    refused: /The clock is read/,
  },
  {
    title: 'new Date() is refused',
    file: 'apps/cli/src/c.ts',
    text: 'export const now = () => new Date();\n',
    refused: /The clock is read/,
  },
  {
    title: 'new Date(instant) is allowed',
    file: 'packages/core/src/f.ts',
    text: 'export const at = (ms: number): Date => new Date(ms);\n',
  },
  {
    title: 'the clock itself reads the time',
    file: 'packages/core/src/clock.ts',
    text: 'export const now = () => new Date();\n',
  },
  {
    title: 'packages have no console',
    file: 'packages/worker/src/e.ts',
    text: "console.log('');\n",
    refused: /console/,
  },
  { title: 'the command line has a console', file: 'apps/cli/src/d.ts', text: "console.log('');\n" },
  {
    title: 'process.env is refused',
    file: 'packages/worker/src/f.ts',
    text: 'export const x = process.env.X;\n',
    refused: /process\.env/,
  },
  { title: 'service reads process.env', file: 'packages/service/src/a.ts', text: 'export const x = process.env.X;\n' },
  {
    title: 'any is refused',
    file: 'packages/core/src/g.ts',
    text: 'export const f = (x: any) => x;\n',
    refused: /any/,
  },
  {
    title: 'a non-null ! is refused',
    file: 'packages/core/src/h.ts',
    text: 'export const f = (x?: string) => x!.length;\n',
    refused: /non-null/,
  },
  {
    title: 'a cast through unknown is refused',
    file: 'packages/core/src/i.ts',
    text: 'export const f = (x: string) => x as unknown as number;\n',
    refused: /through unknown/,
  },
  {
    title: 'no code asks for a handler by the name of its kind',
    file: 'packages/core/src/l.ts',
    text: "export const f = (x: { type: string }) => x.type === 'shell';\n",
    refused: /handlerFacts/,
  },
  {
    title: 'a test names a kind of handler',
    file: 'packages/core/src/l.test.ts',
    text: "export const f = (x: { type: string }) => x.type === 'shell';\n",
  },
  {
    title: 'five parameters are refused',
    file: 'packages/core/src/j.ts',
    text: 'export const f = (a: 1, b: 1, c: 1, d: 1, e: 1) => a + b + c + d + e;\n',
    refused: /only 4 are allowed/,
  },
  {
    title: 'four parameters are allowed',
    file: 'packages/core/src/k.ts',
    text: 'export const f = (a: 1, b: 1, c: 1, d: 1) => a + b + c + d;\n',
  },
];

const ours = [
  'core',
  'store',
  'queue',
  'service',
  'formats',
  'operations',
  'scheduler',
  'worker',
  'runtime',
  'sdk',
  'handlers',
  'servers',
  'testkit',
  'worker-app',
];
const theirs = ['pg', 'bullmq', 'ioredis'];
const dependencies = Object.fromEntries(
  [...ours.map((name) => `@escapement/${name}`), ...theirs].map((name) => [name, '*']),
);

function use(name: string, member?: string): string {
  if (member) return `import { ${member} } from '${name}';\nexport const all = ${member};\n`;
  return `import * as used from '${name}';\nexport const all = used;\n`;
}

const tree = mkdtempSync(path.join(tmpdir(), 'escapement-lint-'));
const found = new Map<string, string>();

beforeAll(() => {
  copyFileSync(path.join(root, 'biome.json'), path.join(tree, 'biome.json'));
  cpSync(path.join(root, 'scripts/lint'), path.join(tree, 'scripts/lint'), { recursive: true });
  writeFileSync(path.join(tree, '.gitignore'), 'scripts\n');
  for (const { file, text } of rules) plant(file, text);
  plant('packages/core/src/d.ts', "import { c } from './c.ts';\nexport const d = () => c;\n");
  plant('packages/core/src/n.ts', "import type { M } from './m.ts';\nexport interface N {\n  m?: M;\n}\n");
  // Every package declares everything, so that a refusal comes from the arrows alone.
  for (const { file } of rules) plant(file.replace(/(src|test).*/, 'package.json'), JSON.stringify({ dependencies }));
  const { stdout } = spawnSync(bin('biome'), ['lint', '--reporter=json', '--max-diagnostics=none'], { cwd: tree });
  const report: { diagnostics: Diagnostic[] } = JSON.parse(stdout.toString());
  for (const { message, location } of report.diagnostics) {
    found.set(location.path, `${found.get(location.path) ?? ''}${message}\n`);
  }
});

afterAll(() => rmSync(tree, { recursive: true }));

test.each(rules)('$title', ({ file, refused }) => {
  if (refused) expect(found.get(file)).toMatch(refused);
  else expect(found.get(file)).toBeUndefined();
});

interface Diagnostic {
  message: string;
  location: { path: string };
}

function plant(file: string, text: string): void {
  const full = path.join(tree, file);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
}
