import { heldDatabase } from './held-database.ts';
import { findings, isAlarm, liveThrough } from './history.ts';
import { spoil } from './spoil.ts';

export interface Checked {
  /** Tasks that went through something. */
  histories: number;
  /** Of them, those of which a row was spoiled afterwards. */
  spoiled: number;
  /** What was said to be wrong, and was not. */
  alarms: string[];
  /** What was spoiled, and nobody has said so. */
  unseen: string[];
}

/** Lives through so many fleets of tasks, looks at their ledgers, spoils a row of each task, and looks again. */
export async function checkHistories({ firstSeed, fleets }: { firstSeed: number; fleets: number }): Promise<Checked> {
  const held = await heldDatabase();
  const checked: Checked = { histories: 0, spoiled: 0, alarms: [], unseen: [] };
  for (let seed = firstSeed; seed < firstSeed + fleets; seed++) {
    const { db, tasks, from, random, alarms } = await liveThrough(held, seed);
    checked.histories += tasks.length;
    checked.alarms.push(...alarms);
    const spoiled = await spoil(db, tasks, random);
    checked.spoiled += spoiled.length;
    const found = new Set((await findings(db, { from, to: held.now() })).filter(isAlarm).map(({ task }) => task));
    for (const { task, what } of spoiled) if (!found.has(task)) checked.unseen.push(`seed ${seed}: ${task}: ${what}`);
    await db.close();
  }
  await held.close();
  return checked;
}
