import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findBuild, withBuild } from './build-manifest.ts';

const root = mkdtempSync(join(tmpdir(), 'escapement-build-'));
afterAll(() => rmSync(root, { recursive: true }));

const MANIFEST = {
  ...{ format: 1, escapement: '0.1.0', release: 'abc', app: 'shop', pools: ['mail'], externals: {} },
  tasks: [{ name: 'hello', module: 'tasks/hello.mjs', source: 'tasks/hello.ts' }],
};

function folderWith(file: string, content: unknown): string {
  const folder = mkdtempSync(join(root, 'project-'));
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(content));
  return folder;
}

test('a build is found in its own folder, where it is made, and where ESCAPEMENT_TASKS names it', () => {
  const own = folderWith('escapement.build.json', MANIFEST);
  expect(findBuild({}, own)).toEqual({ ...MANIFEST, folder: own });
  const project = folderWith('dist/escapement/escapement.build.json', MANIFEST);
  expect(findBuild({}, project)?.folder).toBe(join(project, 'dist/escapement'));
  expect(findBuild({ ESCAPEMENT_TASKS: 'dist/escapement' }, project)?.folder).toBe(join(project, 'dist/escapement'));
});

test('other tasks that ESCAPEMENT_TASKS names come before a build that is there', () => {
  const project = folderWith('dist/escapement/escapement.build.json', MANIFEST);
  expect(findBuild({ ESCAPEMENT_TASKS: 'tasks' }, project)).toBeUndefined();
  expect(findBuild({}, root)).toBeUndefined();
});

test('a build says modules, release, application and pools; the environment comes first, but for the modules', () => {
  const folder = folderWith('escapement.build.json', MANIFEST);
  const build = findBuild({}, folder);
  if (!build) throw new Error('no build');
  expect(withBuild({ ESCAPEMENT_TASKS: folder, ESCAPEMENT_POOLS: 'own' }, build)).toEqual({
    ESCAPEMENT_TASKS: join(folder, 'tasks/hello.mjs'),
    ESCAPEMENT_RELEASE: 'abc',
    ESCAPEMENT_APP: 'shop',
    ESCAPEMENT_POOLS: 'own',
  });
});

test.each([{ ...MANIFEST, format: 2 }, { format: 1 }])('one of another version is refused: %j', (content) => {
  const folder = folderWith('escapement.build.json', content);
  expect(() => findBuild({}, folder)).toThrow(/escapement\.build\.json is not what this version/);
});
