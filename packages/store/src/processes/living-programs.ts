import { type Database, query } from '../postgres/database.ts';
import { isLive } from './is-live.ts';

/** A scheduler or worker of any namespace. */
export interface LivingProgram {
  namespace: string;
  role: 'scheduler' | 'worker';
  host: string;
  pid: number;
}

const NO_DATABASE = '3D000';
const NO_TABLE = '42P01';

/**
 * Who works on the database, in any namespace: a migration concerns them all. None where the database is still to be made. Reads columns
 * alone that every version has.
 */
export async function livingPrograms(db: Database, { withinMs }: { withinMs: number }): Promise<LivingProgram[]> {
  try {
    return await query<LivingProgram & { [column: string]: unknown }>(
      db.pool,
      'living_programs',
      `SELECT namespace, role, host, pid FROM process p WHERE ${isLive('p', '$1')} ORDER BY namespace, role, host, pid`,
      [withinMs],
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === NO_DATABASE || error.code === NO_TABLE)) return [];
    throw error;
  }
}
