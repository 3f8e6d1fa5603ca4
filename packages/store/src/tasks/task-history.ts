import type { Database } from '../database.ts';
import { typedClient } from '../typed-client.ts';

/** A version of a task, as it was saved. */
export interface TaskVersionEntry {
  version: number;
  savedAt: Date;
  savedBy: string;
  source: string;
  note: string | null;
  /** The definition as JSON, defaults filled in. */
  definition: unknown;
}

/** All versions of a task, the newest first, of a deleted one too. Empty: there never was such a task. */
export async function taskHistory(db: Database, name: string): Promise<TaskVersionEntry[]> {
  const client = await typedClient(db);
  const versions = await client.taskVersion.findMany({
    where: { task: { namespace: db.namespace, name } },
    orderBy: { version: 'desc' },
  });
  return versions.map((version) => ({
    version: version.version,
    savedAt: version.createdAt,
    savedBy: version.createdBy,
    source: version.source,
    note: version.note,
    definition: version.definition,
  }));
}
