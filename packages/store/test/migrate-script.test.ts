import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterFile, spawnNode } from '@escapement/testkit';
import { expect, test } from 'vitest';

const script = new URL('../../../scripts/database/migration.ts', import.meta.url);
const repository = mkdtempSync(join(tmpdir(), 'escapement-migration-'));
afterFile(() => rmSync(repository, { recursive: true, force: true }));
mkdirSync(join(repository, 'prisma'));
git('init', '-q');
git('commit', '-q', '--allow-empty', '-m', 'empty');

const HEAD = 'datasource db {\n  provider = "postgresql"\n}\n';

function git(...args: string[]): void {
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...author, ...args], { cwd: repository });
}

function writeSchema(models: string): void {
  writeFileSync(join(repository, 'prisma/schema.prisma'), HEAD + models);
}

async function migration(...args: string[]) {
  const child = spawnNode(script, { args, cwd: repository, fromSource: true });
  const { code } = await child.exited;
  return { code, output: child.lines.join('\n') };
}

const migrations = () => readdirSync(join(repository, 'prisma/migrations')).sort();
const newest = () =>
  readFileSync(join(repository, 'prisma/migrations', migrations().at(-1) ?? '', 'migration.sql'), 'utf8');

test('a new migration holds what changed since the last committed one', { timeout: 60_000 }, async () => {
  writeSchema('model Clock {\n  id Int @id\n}\n');
  expect(await migration('init')).toMatchObject({ code: 0 });
  expect(migrations()[0]).toMatch(/^\d{14}_init$/);
  expect(newest()).toContain('CREATE TABLE "Clock"');

  const again = await migration('again');
  expect(again).toMatchObject({ code: 1 });
  expect(again.output).toContain('commit them');
  git('add', '.');
  git('commit', '-qm', 'init');

  writeSchema('model Clock {\n  id Int @id\n  face String?\n}\n');
  expect((await migration('Add', 'face')).code).toBe(0);
  expect(migrations()[1]).toMatch(/_add_face$/);
  expect(newest()).toBe('-- AlterTable\nALTER TABLE "Clock" ADD COLUMN     "face" TEXT;\n');
  git('add', '.');
  git('commit', '-qm', 'face');

  expect((await migration('checks')).output).toContain('write the SQL by hand');
});

test('a name that is none, and a schema that is wrong, are refused in words', { timeout: 60_000 }, async () => {
  expect((await migration()).output).toContain('usage: npm run migration -- NAME');
  rmSync(join(repository, 'prisma/migrations', migrations().at(-1) ?? ''), { recursive: true });
  writeSchema('model Clock {\n  id Inte @id\n}\n');
  const { code, output } = await migration('wrong');
  expect(code).toBe(1);
  expect(output).toContain('Type "Inte" is neither a built-in type');
});
