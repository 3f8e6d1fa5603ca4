import { DAY } from '@escapement/core';
import pg from 'pg';

const WEEK = 7 * DAY;

/**
 * Makes a database as old as a fleet that has been at work since then: what lies before the oldest week ends there. The weeks
 * that follow are to be made. Nothing may have been written yet.
 */
export async function beginWeeksAt(url: string, at: Date): Promise<void> {
  const week = new Date(Math.floor(at.getTime() / WEEK) * WEEK).toISOString();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const table of ['run', 'attempt'])
      await client.query(`ALTER TABLE ${table} DETACH PARTITION ${table}_old;
        ALTER TABLE ${table} ATTACH PARTITION ${table}_old FOR VALUES FROM (MINVALUE) TO ('${week}')`);
  } finally {
    await client.end();
  }
}
