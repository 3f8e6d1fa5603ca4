import { EscapementError } from '@escapement/core';
import type { ClientBase, Pool } from 'pg';
import manifest from '../../package.json' with { type: 'json' };

/** The function of the database that tells it. */
export const OLDEST_PROGRAM = 'oldest_program';

/**
 * Refuses a program that is older than the schema allows. During a rolling upgrade programs of the version before go on with the schema of
 * the next one, unless that has taken something away that they use.
 *
 * @param version Of this program. Default: that of this package, which all programs share.
 * Throws `program_too_old`.
 */
export async function requireServedProgram(
  client: ClientBase | Pool,
  version: string = manifest.version,
): Promise<void> {
  const { rows } = await client.query<{ oldest: string }>(`SELECT ${OLDEST_PROGRAM}() AS oldest`);
  const oldest = rows[0]?.oldest;
  if (oldest === undefined || !isBefore(version, oldest)) return;
  throw new EscapementError(
    'program_too_old',
    `the database serves programs of version ${oldest} and newer, and this one is ${version}`,
    { fix: `install ${oldest} or newer; to stay with ${version}, restore the database from before the upgrade` },
  );
}

/** By the three numbers of a version; what stands behind a hyphen is of the version that it leads to. */
function isBefore(version: string, other: string): boolean {
  const [mine, theirs] = [version, other].map((text) => text.split('-', 1)[0]?.split('.').map(Number) ?? []);
  const at = [0, 1, 2].find((place) => mine?.[place] !== theirs?.[place]);
  return at !== undefined && (mine?.[at] ?? 0) < (theirs?.[at] ?? 0);
}
