import { actionOf, MINUTE, processPrincipal } from '@escapement/core';
import { saveTask, triggerTask } from '@escapement/operations';
import type { Database } from '@escapement/store';
import { eventually } from '@escapement/testkit';
import { expect } from 'vitest';

const BY = actionOf(processPrincipal('the stage'));

/** Lines of a hundred bytes: just under the 10 MiB that the ledger keeps of a run. */
export const LINES = 104_000;
/** The number of the only one that is an error. */
export const BROKEN = 61_234;

const PROGRAM = `BEGIN {
  for (i = 1; i <= ${LINES}; i++)
    printf "%-99s\\n", sprintf("%s line %06d: customer %06d is in the Archive", i == ${BROKEN} ? "ERROR" : i % 10 ? "INFO" : "WARN", i, 7 * i)
}`;

/** A run that has written as much, and is over. Its id. */
export async function addLongLog(db: Database): Promise<string> {
  await saveTask(
    db,
    { name: 'export-all', handler: { type: 'shell', command: `awk '${PROGRAM}'` } },
    { source: 'api', by: BY },
  );
  const id = await triggerTask(db, 'export-all', { by: BY });
  await eventually(async () => {
    const { rows } = await db.pool.query<{ state: string }>('SELECT state FROM run WHERE id = $1', [id]);
    expect(rows).toEqual([{ state: 'succeeded' }]);
  }, 2 * MINUTE);
  return id;
}
