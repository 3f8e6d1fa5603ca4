import { type Emit, judgeBackfill, newRunId, renderKey, SECOND, storableText } from '@escapement/core';
import { nextInstants, readOccurrences } from '@escapement/operations';
import { createLoop, type Loop } from '@escapement/service';
import {
  type BackfillRun,
  type Database,
  isDataFault,
  occurrenceRows,
  type RunningBackfill,
  runningBackfills,
  stepBackfill,
} from '@escapement/store';
import { NO_PROBES, type Probes } from './probes.ts';

const IDLE_MS = 2 * SECOND;
const BUSY_MS = 250;
/** Backfills gone on with in a pass. */
const BATCH = 100;
/** Occurrences gone through in a step, where most of them are left as they are. */
const LOOK_AHEAD = 500;

export interface BackfillerOptions {
  db: Database;
  /** Asked before each look. Default: it looks each time. */
  probes?: Pick<Probes, 'see'>;
  emit: Emit;
  onError: (error: unknown) => void;
}

/**
 * Makes the runs of backfills, as many as may be open at once. How far each has come is in the database, moved in the
 * same write as the runs: it survives any crash, and any number of schedulers may do it.
 */
export function createBackfiller({ db, probes = NO_PROBES, emit, onError }: BackfillerOptions): Loop {
  async function runOnce(): Promise<number> {
    if (!(await probes.see('backfills'))) return IDLE_MS;
    const backfills = await runningBackfills(db, BATCH);
    for (const backfill of backfills) await goOn(backfill);
    return backfills.length > 0 ? BUSY_MS : IDLE_MS;
  }

  async function goOn(backfill: RunningBackfill): Promise<void> {
    try {
      await take(backfill, await nextStep(db, backfill));
    } catch (error) {
      // A value that cannot be read or written: saying so is better than trying for ever, and the others go on.
      if (!(error instanceof Error && isDataFault(error))) throw error;
      await take(backfill, stopped(storableText(error.message)));
    }
  }

  async function take({ id, seq, taskName }: RunningBackfill, step: Step | undefined): Promise<void> {
    if (!step) return;
    const moved = await stepBackfill(db, { id, seq, ...step });
    if (moved && step.end) emit({ event: 'backfill_ended', backfill: id, task: taskName, ...step.end });
  }

  return createLoop({ name: 'backfiller', runOnce, onError });
}

type Step = Omit<Parameters<typeof stepBackfill>[1], 'id' | 'seq'>;

/** Undefined: it waits for its open runs. */
async function nextStep(db: Database, backfill: RunningBackfill): Promise<Step | undefined> {
  const { task } = backfill;
  if (!task) return stopped('the task was deleted');
  if (backfill.unreadable !== null) return stopped(backfill.unreadable);
  const room = backfill.concurrency - backfill.open;
  return room > 0 ? await stepOf(db, backfill, task, room) : undefined;
}

function stopped(error: string): Step {
  return { cursorAt: null, kept: 0, runs: [], end: { state: 'stopped', error } };
}

type TaskOf = NonNullable<RunningBackfill['task']>;

async function stepOf(db: Database, backfill: RunningBackfill, task: TaskOf, room: number): Promise<Step | undefined> {
  const instants = nextInstants(await readOccurrences(db, task.definition), backfill, LOOK_AHEAD);
  // Its last runs may still be open: it ends with them.
  if (instants.length === 0)
    return backfill.open > 0 ? undefined : { cursorAt: null, kept: 0, runs: [], end: { state: 'done', error: null } };
  const rows = await occurrenceRows(db, backfill.taskId, instants);
  const key = renderKey(task.keyTemplate, task.definition.payload);
  const runs: BackfillRun[] = [];
  let kept = 0;
  let cursorAt: Date | null = null;
  for (const at of instants) {
    if (runs.length === room) break;
    const action = judgeBackfill(rows.get(at.getTime()), backfill.reprocess);
    cursorAt = at;
    if (action.kind === 'keep') kept += 1;
    else runs.push(toRun(at, action.kind === 'rerun' ? action.of : null, key));
  }
  return { cursorAt, kept, runs, end: null };
}

/** A rerun has the instant of its occurrence too, so that its handler works on the same time. */
function toRun(at: Date, rerunOf: string | null, key: string): BackfillRun {
  return { id: newRunId(at), scheduledFor: at, origin: rerunOf ? 'rerun' : 'backfill', key, rerunOf };
}
