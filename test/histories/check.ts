import { heldDatabase } from './held-database.ts';
import { findings, type History, isAlarm, liveThrough } from './history.ts';
import { type Spoiled, spoil, switchTriggers, thaw } from './spoil.ts';

export interface Checked {
  /** Tasks that went through something. */
  histories: number;
  /** Of them, those of which something was spoiled afterwards. */
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
    const history = await liveThrough(held, seed);
    const { db, tasks, alarms } = history;
    checked.histories += tasks.length;
    checked.alarms.push(...alarms);
    const window = { from: history.from, to: held.now() };
    await switchTriggers(db, 'DISABLE');
    for (const { spoiled, found } of [await spoilFreeze(history, window), await spoilTasks(history, window)]) {
      checked.spoiled += spoiled.length;
      for (const { task, what } of spoiled) if (!found.has(task)) checked.unseen.push(`seed ${seed}: ${task}: ${what}`);
    }
    await switchTriggers(db, 'ENABLE');
    await db.close();
  }
  await held.close();
  return checked;
}

interface Look {
  spoiled: readonly Spoiled[];
  /** Tasks that have findings. */
  found: ReadonlySet<string>;
}

async function spoilFreeze(history: History, window: { from: Date; to: Date }): Promise<Look> {
  const { db, tasks, random } = history;
  const thawed = await thaw(db, tasks, random);
  if (!thawed) return { spoiled: [], found: new Set() };
  const found = await tasksFound(history, window);
  await thawed.undo();
  return { spoiled: [thawed.one], found };
}

async function spoilTasks(history: History, window: { from: Date; to: Date }): Promise<Look> {
  const spoiled = await spoil(history.db, history.tasks, history.random);
  return { spoiled, found: await tasksFound(history, window) };
}

async function tasksFound({ db }: History, window: { from: Date; to: Date }): Promise<Set<string>> {
  return new Set((await findings(db, window)).filter(isAlarm).map(({ task }) => task));
}
