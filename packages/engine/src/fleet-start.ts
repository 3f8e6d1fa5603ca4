import { type Json, newRunId, renderKey } from '@escapement/core';
import { type Database, findTask, fleetStartTasks, pingDatabase, startFleet } from '@escapement/store';

/**
 * Starts the tasks that run when the fleet comes up, where no other scheduler has beaten for a minute. Returns
 * their names; empty where the fleet was up already.
 */
export async function triggerFleetStart(db: Database, processId: string): Promise<string[]> {
  const tasks = await fleetStartTasks(db);
  const { now } = await pingDatabase(db);
  const runs = [];
  for (const { id, name } of tasks) {
    const task = await findTask(db, name);
    if (!task) continue;
    const key = renderKey(task.definition.key ?? name, task.definition.payload as Json | undefined);
    runs.push({ id: newRunId(now), scheduledFor: now, taskId: id, key });
  }
  // Asked even with nothing to start: the gate notes that the fleet is up.
  return await startFleet(db, processId, runs);
}
