import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformWithOxc } from 'vite';
import { replaceFunction } from './database.ts';
import { type Mutant, mutate } from './mutant.ts';
import type { Session } from './session.ts';

/** Puts a mutant into the copied tree, and takes it out again. False: it is none, as Postgres refuses its text. */
export async function withMutant(
  where: { root: string; session: Session },
  mutant: Mutant,
  work: () => Promise<void>,
): Promise<boolean> {
  const source = readFileSync(path.join(where.root, mutant.file), 'utf8');
  const put = mutant.file.endsWith('.sql') ? putIntoDatabase : putIntoModule;
  try {
    if (!(await put(where, mutant.file, mutate(source, mutant)))) return false;
    await work();
    return true;
  } finally {
    await put(where, mutant.file, source);
  }
}

async function putIntoDatabase({ session }: { session: Session }, _: string, sql: string): Promise<boolean> {
  return await replaceFunction(await session.servers(), sql);
}

/** Threads and processes run from the build: what is built of the module changes too. */
async function putIntoModule({ root, session }: { root: string; session: Session }, file: string, source: string) {
  writeFileSync(path.join(root, file), source);
  session.forget(file);
  const built = path.join(root, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
  if (!existsSync(built)) return true;
  const { code } = await transformWithOxc(source, path.join(root, file));
  writeFileSync(built, code.replaceAll(/((?:from|import) ["']\.[^"']*)\.ts(["'])/g, '$1.js$2'));
  return true;
}
