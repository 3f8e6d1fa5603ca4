import { testDatabase } from '@escapement/testkit';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { loadEngine } from '../../../scripts/database/schema-diff.ts';
import { migrate } from '../src/index.ts';
import { migrationsDir } from './migrations.ts';

const files = { '1_a': 'CREATE TABLE a (id int);\n', '2_b': 'CREATE TABLE b (id int);\n' };
const filters = { externalTables: [], externalEnums: [] };

/** What `prisma migrate deploy` and `status` hand to the engine. */
const migrationsList = {
  baseDir: 'prisma/migrations',
  lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
  shadowDbInitScript: '',
  migrationDirectories: Object.entries(files).map(([path, value]) => ({
    path,
    migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } },
  })),
};

async function withEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const pool = new Pool({ connectionString: url });
  const engine = await loadEngine(new PrismaPg(pool, { disposeExternalPool: false }));
  try {
    return await work(engine);
  } finally {
    engine.free();
    // It leaves its advisory lock on a connection of the pool.
    await pool.end();
  }
}

test("Prisma's engine finds what this runner applied, and nothing wrong", async () => {
  const { url } = await testDatabase({ empty: true });
  await migrate(url, { migrationsDir: migrationsDir(files) });
  await withEngine(url, async (engine) => {
    const input = { migrationsList, optInToShadowDatabase: false, filters };
    expect(await engine.diagnoseMigrationHistory(input)).toMatchObject({
      editedMigrationNames: [],
      failedMigrationNames: [],
      hasMigrationsTable: true,
      history: null,
    });
    expect(await engine.applyMigrations({ migrationsList, filters })).toEqual({ appliedMigrationNames: [] });
  });
});

test("this runner finds what Prisma's engine applied, and goes on from there", async () => {
  const { url } = await testDatabase({ empty: true });
  const done = await withEngine(url, (engine) => engine.applyMigrations({ migrationsList, filters }));
  expect(done.appliedMigrationNames).toEqual(['1_a', '2_b']);
  const dir = migrationsDir({ ...files, '3_c': 'CREATE TABLE c (id int)' });
  expect(await migrate(url, { migrationsDir: dir })).toEqual({ applied: ['3_c'], already: 2 });
});
