import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { appNameOf } from './app-name.ts';

const root = mkdtempSync(join(tmpdir(), 'app-name-'));
afterAll(() => rmSync(root, { recursive: true }));

function release(name: string, manifest: string): string {
  const tasks = join(root, name, 'src', 'tasks');
  mkdirSync(tasks, { recursive: true });
  writeFileSync(join(root, name, 'package.json'), manifest);
  // A package.json that only says how modules are read.
  writeFileSync(join(root, name, 'src', 'package.json'), '{"type":"module"}');
  return tasks;
}

test('the name is the same wherever a release lies', async () => {
  expect(await appNameOf([release('v1', '{"name":"@shop/jobs"}')])).toBe('@shop/jobs/src/tasks');
  expect(await appNameOf([release('v2', '{"name":"@shop/jobs"}')])).toBe('@shop/jobs/src/tasks');
});

test('several places make one name, in whatever order they are given', async () => {
  const [one, other] = [release('a', '{"name":"mail"}'), release('b', '{"name":"invoices"}')];
  expect(await appNameOf([one, other])).toBe('invoices/src/tasks,mail/src/tasks');
  expect(await appNameOf([other, one])).toBe('invoices/src/tasks,mail/src/tasks');
});

test('outside of a package it is the name of the place', async () => {
  expect(await appNameOf([root])).toBe(basename(root));
});
