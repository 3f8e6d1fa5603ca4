// npm run migration -- NAME: writes prisma/migrations/<time>_NAME/migration.sql with what changed in prisma/schema.prisma
// since the commit of the newest migration. What Prisma cannot say (CHECKs, partitions, functions) is added by hand.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaDiff } from './schema-diff.ts';

const SCHEMA = 'prisma/schema.prisma';
const MIGRATIONS = 'prisma/migrations';
const BY_HAND = '-- schema.prisma has not changed: this migration is written by hand.\n';

try {
  await writeMigration(nameFrom(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`migration: ${error instanceof Error ? error.message.trim() : error}\n`);
  process.exitCode = 1;
}

async function writeMigration(name: string): Promise<void> {
  const before = committedSchema();
  const sql = await schemaDiff(before, readFileSync(SCHEMA, 'utf8'));
  const dir = join(MIGRATIONS, `${timestamp()}_${name}`);
  mkdirSync(dir, { recursive: true });
  const file = join(dir, 'migration.sql');
  writeFileSync(file, sql === '' ? BY_HAND : sql);
  const what = sql === '' ? 'schema.prisma has not changed: write the SQL by hand' : 'read it before you commit it';
  process.stdout.write(`wrote ${file}; ${what}\n`);
}

/** Now, but after the newest migration in any case: they are applied in the order of their names. */
function timestamp(): string {
  const now = Number(new Date().toISOString().replace(/\D/g, '').slice(0, 14));
  const times = existsSync(MIGRATIONS) ? readdirSync(MIGRATIONS).map((name) => Number.parseInt(name, 10) || 0) : [];
  return String(Math.max(now, ...times.map((time) => time + 1)));
}

function nameFrom(words: string[]): string {
  const name = words
    .join('_')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  if (/^[a-z0-9_]{1,60}$/.test(name)) return name;
  throw new Error(`"${words.join(' ')}" is no name for a migration: use letters, digits and _, at most 60
usage: npm run migration -- NAME`);
}

/** The schema as of the newest committed migration: what the committed migrations lead to. Undefined when there is none. */
function committedSchema(): string | undefined {
  const pending = git('status', '--porcelain', '--untracked-files=all', '--', MIGRATIONS);
  if (pending !== '')
    throw new Error(
      `there are changes in ${MIGRATIONS}: commit them (with ${SCHEMA}) or take them back first\n${pending}`,
    );
  const commit = git('log', '-1', '--format=%H', '--', MIGRATIONS);
  return commit === '' ? undefined : git('show', `${commit}:./${SCHEMA}`);
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd();
  } catch (error) {
    throw new Error(`git ${args[0]} failed; the last migration's schema is looked up in the repository's history`, {
      cause: error,
    });
  }
}
