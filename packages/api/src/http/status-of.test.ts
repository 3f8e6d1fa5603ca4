import { readdirSync, readFileSync } from 'node:fs';
import { EscapementError, heardCode } from '@escapement/core';
import { expect, test } from 'vitest';
import { isKnown, statusOf } from './status-of.ts';

/** Codes with which these packages throw an `EscapementError`, where they stand in the text. */
function codesOf(name: string): string[] {
  const root = new URL(`../../../${name}/src/`, import.meta.url);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith('generated'))
    .flatMap((file) => [...readFileSync(new URL(file, root), 'utf8').matchAll(/EscapementError\(\s*'([a-z_0-9]+)'/g)])
    .map(([, code = '']) => code);
}

test('of each code it is known with which status it is told, or that it is not', () => {
  const codes = ['core', 'store', 'operations'].flatMap(codesOf);
  expect(codes.length).toBeGreaterThan(100);
  expect(
    [...new Set(codes)].filter(
      (code) => !isKnown(code) && statusOf(new EscapementError(heardCode(code), ''), []) === undefined,
    ),
  ).toEqual([]);
});

test.each([
  ['unknown_task', ['unknown_task'], 404],
  ['unknown_calendar', ['unknown_task'], 422],
  ['bad_instant', [], 400],
  ['run_ended', [], 409],
  ['database_rights', [], undefined],
  ['constructor', [], undefined],
])('%s of a route about %j is %s', (code, missing, status) => {
  expect(statusOf(new EscapementError(heardCode(code), ''), missing)).toBe(status);
});
