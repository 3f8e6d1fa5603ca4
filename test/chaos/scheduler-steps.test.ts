import { readdirSync, readFileSync } from 'node:fs';
import { type Failpoint, pointName, rewrite } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { BULK_STEPS, HEARTBEAT, RARE_STEPS, SCHEDULER_STEPS, WORKER_STEPS } from './scheduler-steps.ts';

const root = new URL('../../', import.meta.url);
const points = [
  ...new Map(
    [...SCHEDULER_STEPS, ...BULK_STEPS, ...WORKER_STEPS, HEARTBEAT].map((each) => [pointName(each), each]),
  ).values(),
];

// Whoever renames a step names it here, too: a fault at a step that is not there would prove nothing.
test.each(points.map((point) => [pointName(point), point]))('%s is in the code', (_, point: Failpoint) => {
  const source = readFileSync(new URL(point.module, root), 'utf8');
  expect(rewrite(`/${point.module}`, source, { failpoints: [point], patches: [] })).not.toBe(source);
});

// A step that is written anew belongs into the list.
test('all statements of the reconciler are steps', () => {
  const folder = new URL('packages/scheduler/src/reconciler/', root);
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const repairs = new URL('packages/store/src/reconcile/ledger-repairs.ts', root);
  const used = [...files.map((file) => new URL(file, folder)), repairs].flatMap((file) =>
    calledWithDatabase(readFileSync(file, 'utf8')),
  );
  const known = [...SCHEDULER_STEPS.map(({ name }) => name), ...RARE_STEPS];
  expect(new Set(used).size).toBeGreaterThan(8);
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
});

function calledWithDatabase(source: string): string[] {
  return [...source.matchAll(/\b(\w+)\((?:options\.)?db\b/g)].map(([, name]) => name ?? '');
}
