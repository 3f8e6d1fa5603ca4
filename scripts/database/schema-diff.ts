// Prisma's schema engine in WebAssembly: compares two schema files without a database and without a downloaded binary.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';

// The types of Node 20 know only the names of it.
declare const WebAssembly: {
  instantiate(binary: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

const NO_CHANGE = '-- This is an empty migration.';

/**
 * The SQL that leads from one schema to the other; '' when there is nothing to do.
 *
 * @param from Content of the older schema.prisma; undefined = an empty database.
 */
export async function schemaDiff(from: string | undefined, to: string): Promise<string> {
  const engine = await loadEngine(nobody);
  try {
    const { stdout } = await engine.diff({
      from: from === undefined ? { tag: 'empty' } : datamodel(from),
      to: datamodel(to),
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    const sql = (stdout ?? '').trim();
    return sql === NO_CHANGE ? '' : `${sql}\n`;
  } finally {
    engine.free();
  }
}

function datamodel(content: string) {
  return { tag: 'schemaDatamodel' as const, files: [{ path: 'prisma/schema.prisma', content }] };
}

let loading: Promise<void> | undefined;

/** Starts the engine on a connection; free it after use. */
export async function loadEngine(factory: SqlMigrationAwareDriverAdapterFactory): Promise<glue.SchemaEngine> {
  // Once a process: the glue keeps views of the memory of the instance that it was given first.
  loading ??= load();
  await loading;
  return glue.SchemaEngine.new(
    { datamodels: undefined },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(factory),
  );
}

async function load(): Promise<void> {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const binary = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'));
  // The engine reports panics here, and fails obscurely when it is missing.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: () => undefined } });
  const { instance } = await WebAssembly.instantiate(binary, { './schema_engine_bg.js': { ...glue } });
  glue.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start === 'function') start();
}

/** The engine insists on a connection. It asks it for the version of the database, and does well without an answer. */
const connection: SqlDriverAdapter = {
  provider: 'postgres',
  adapterName: 'none',
  queryRaw: async () => ({ columnNames: [], columnTypes: [], rows: [] }),
  executeRaw: async () => 0,
  executeScript: async () => undefined,
  startTransaction: () => Promise.reject(new Error('a comparison of two files needs no transaction')),
  dispose: async () => undefined,
};

const nobody: SqlMigrationAwareDriverAdapterFactory = {
  provider: 'postgres',
  adapterName: 'none',
  connect: async () => connection,
  connectToShadowDb: async () => connection,
};
