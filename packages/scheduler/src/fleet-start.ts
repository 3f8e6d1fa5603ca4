import { EscapementError, type Json, newRunId, renderKey } from '@escapement/core';
import {
  type Database,
  type FleetStartRun,
  findTask,
  fleetStartTasks,
  isConnectionError,
  pingDatabase,
  startFleet,
} from '@escapement/store';

/**
 * Starts the tasks that run when the fleet comes up, where no other scheduler has sent a heartbeat for a minute. Returns
 * their names; empty where the fleet was up already. `onError` hears of a task that cannot be started: it must not keep
 * the others, nor the scheduler itself, from it.
 */
export async function triggerFleetStart(
  db: Database,
  processId: string,
  onError: (error: unknown) => void,
): Promise<string[]> {
  const tasks = await fleetStartTasks(db);
  const { now } = await pingDatabase(db);
  const runs: FleetStartRun[] = [];
  for (const { id, name } of tasks) {
    try {
      const task = await findTask(db, name);
      if (!task) continue;
      const key = renderKey(task.definition.key ?? name, task.definition.payload as Json | undefined);
      runs.push({ id: newRunId(now), scheduledFor: now, taskId: id, key });
    } catch (cause) {
      if (isConnectionError(cause)) throw cause;
      const message = `task ${name} cannot be started with the fleet: ${String(cause)}`;
      onError(new EscapementError('fleet_start_failed', message, { fix: 'save the task again', cause }));
    }
  }
  // Asked even with nothing to start: the cluster lock notes that the fleet is up.
  return await startFleet(db, processId, runs);
}
