import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { build } from '../scripts/pack/build.ts';
import { pack } from '../scripts/pack/pack.ts';
import { outside, ownEnvironment } from './installed/project.ts';
import { testedVersions } from './installed/third-party.ts';

// pnpm gives each package only what its manifest names, and no other package above it.

const exec = promisify(execFile);
const PATIENCE_MS = 180_000;
const hasPnpm = (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, 'pnpm')));

test.runIf(hasPnpm)(
  'where pnpm has installed it, a project is made, and its tasks are built',
  { timeout: PATIENCE_MS },
  async () => {
    await build();
    const packed = await pack({ out: outside('packed') });
    const { versions, overrides } = testedVersions(['esbuild']);
    const ours = Object.fromEntries(packed.map(({ name, file }) => [name, `file:${file}`]));
    const cwd = path.join(outside('pnpm'), 'shop');
    mkdirSync(cwd);
    const manifest = {
      ...{ name: 'shop', private: true, type: 'module', devDependencies: versions },
      ...{ dependencies: { escapement: ours.escapement }, pnpm: { overrides: { ...overrides, ...ours } } },
    };
    writeFileSync(path.join(cwd, 'package.json'), JSON.stringify(manifest));
    const pnpm = async (...args: string[]) => (await exec('pnpm', args, { cwd, env: ownEnvironment() })).stdout;
    await pnpm('install', '--prefer-offline', '--ignore-scripts');
    expect(existsSync(path.join(cwd, 'node_modules/@escapement'))).toBe(false);

    expect(await pnpm('exec', 'escapement', 'init')).toContain('next: pnpm install, then pnpm exec escapement dev');
    expect(await pnpm('exec', 'escapement', 'build')).toContain('hello  tasks/hello.ts');
    const module = readFileSync(path.join(cwd, 'dist/escapement/tasks/hello.mjs'), 'utf8');
    expect(module).toContain('from "escapement"');
  },
);
