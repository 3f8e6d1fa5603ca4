import type { Repeat } from '@escapement/queue';
import type { GroupCommit, RunSketch } from '@escapement/store';
import { type ExecuteDeps, executeRun, untilDue } from './execute-run.ts';
import { persist } from './persist.ts';

export interface RepeatDeps extends ExecuteDeps {
  repeatLookUps: GroupCommit<Repeat, { run: RunSketch | null }>;
}

/**
 * Takes the run that a repeat is for through its steps. There may be none: the planner is behind, the task is paused or
 * was edited, or the run has become a job of its own; then nothing is to be done.
 */
export async function executeRepeat(repeat: Repeat, deps: RepeatDeps): Promise<void> {
  const { run } = await persist(() => deps.repeatLookUps.submit(repeat), deps.mayPersist);
  if (!run) return;
  const ref = { pool: repeat.pool, runId: run.runId, dispatch: run.dispatch + 1 };
  await executeRun(ref, deps, (await untilDue(run)) ? run : undefined);
}
