import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProjectConfig, ownAccount, readProjectConfig, sameAccount } from '@escapement/handlers';
import { afterFile } from '@escapement/testkit';
import { expect, test } from 'vitest';

const options = { accounts: sameAccount(ownAccount({})), env: {}, execArgv: [] };

/** What a configuration with this text says. */
async function read(text: string, name = 'escapement.config.ts') {
  const file = write(text, name);
  return await readProjectConfig(file, options);
}

function write(text: string, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-config-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test('a configuration in TypeScript, or in JavaScript, is what it default-exports', async () => {
  const text =
    "enum Pool { Mail = 'mail' }\nexport default { tasks: ['jobs'], pools: [Pool.Mail], watch: undefined };\n";
  expect(await read(text)).toEqual({ tasks: ['jobs'], pools: ['mail'] });
  expect(await read('export default { concurrency: 3 };', 'escapement.config.mjs')).toEqual({ concurrency: 3 });
});

test('it is loaded in a process that has no variables of this one', async () => {
  process.env.PROJECT_CONFIG_TEST = 'seen';
  expect(await read("export default { app: process.env.PROJECT_CONFIG_TEST ?? 'none' };")).toEqual({ app: 'none' });
  delete process.env.PROJECT_CONFIG_TEST;
});

test('a field that is not known, or of another kind, is named with its value, all of them at once', async () => {
  const message = await read("export default { taks: ['a'], pools: 'mail', concurrency: 'many' };").catch(String);
  expect(message).toMatch(/escapement\.config\.ts: .*there is no field taks \(did you mean tasks\?\)/);
  expect(message).toMatch(/pools is "mail": .*array/);
  expect(message).toMatch(/concurrency is "many": .*number/);
});

test.each([
  ['export const tasks = [];', /does not default-export a configuration/],
  ['export default () => ({});', /does not default-export a configuration/],
  ["throw new Error('no network');\nexport default {};", /cannot be imported: Error: no network/],
  ['export default { tasks: [ };', /escapement\.config\.ts:1/],
  ['process.exit(3);\nexport default {};', /its process ended with exit code 3/],
])('%j is refused', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

test('it is found in its folder under four names, and two of them are one too many', () => {
  const file = write('export default {};', 'escapement.config.mts');
  expect(findProjectConfig(join(file, '..'))).toBe(file);
  expect(findProjectConfig(tmpdir())).toBeUndefined();
  writeFileSync(join(file, '../escapement.config.js'), '');
  expect(() => findProjectConfig(join(file, '..'))).toThrow(/has escapement\.config\.mts and escapement\.config\.js/);
});
