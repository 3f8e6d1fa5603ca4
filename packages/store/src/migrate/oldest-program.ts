import { EscapementError } from '@escapement/core';
import type { ClientBase, Pool } from 'pg';
import manifest from '../../package.json' with { type: 'json' };

/** The function of the database that tells it. */
export const OLDEST_PROGRAM = 'oldest_program';

/**
 * Refuses a program that is older than the schema allows. During a rolling upgrade programs of the version before go on with the schema of
 * the next one, unless that has taken something away that they use. Throws `program_too_old`.
 */
export async function requireServedProgram(client: ClientBase | Pool): Promise<void> {
  // All programs have the version of this package.
  const { version } = manifest;
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
export function isBefore(version: string, other: string): boolean {
  const [mine, theirs] = [numbersOf(version), numbersOf(other)];
  const at = mine.findIndex((number, place) => number !== theirs[place]);
  return at >= 0 && (mine[at] ?? 0) < (theirs[at] ?? 0);
}

function numbersOf(version: string): number[] {
  return version.replace(/-.*/, '').split('.').map(Number);
}
