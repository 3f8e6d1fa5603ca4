import { counted, inUtc, type StateOfTask, scheduleWords } from '@escapement/core';
import { redactDefinition } from '@escapement/core/mask';
import type { ScheduleSpec } from '@escapement/core/schedule';
import { type Side, sideAt } from '@escapement/core/shadow';
import type { PauseWindow, Task } from '@escapement/store';

/** A task as people and programs see it: its definition without what it hides, and when it runs, in words. */
export type TaskView = Task & { meaning: string };

export function taskView(task: Task): TaskView {
  return { ...task, definition: redactDefinition(task.definition), meaning: scheduleWords(task.definition) };
}

export function zoneOf(spec: ScheduleSpec): string | undefined {
  return 'timeZone' in spec ? spec.timeZone : undefined;
}

/** How a task stands. */
export interface TaskStatus {
  state: StateOfTask;
  words: string;
  /** The same for a line of a list. */
  brief: string;
}

export function taskState(task: Task, now: Date): TaskStatus {
  const { brief, ...status } = statusOf(task, now);
  return { ...status, brief: brief ?? status.words };
}

function statusOf(
  { definition, pauses, planError, neverFires, handovers }: Task,
  now: Date,
): Omit<TaskStatus, 'brief'> & { brief?: string } {
  const pause = activePause(
    pauses.filter(({ runId }) => runId === null),
    now,
  );
  if (pause) {
    const until = pause.untilAt ? ` until ${inUtc(pause.untilAt)}` : '';
    const words = `paused${until}${pause.note ? `: ${pause.note}` : ''}`;
    const { failures } = pause;
    return { state: 'paused', words, ...(failures ? { brief: `paused (${counted(failures, 'failure')})` } : {}) };
  }
  const [decided] = pauses.filter(({ runId }) => runId !== null);
  if (decided?.untilAt) return { state: 'active', words: `active, its next run decided by run ${decided.runId}` };
  if (decided) return { state: 'finished', words: `finished, as decided by run ${decided.runId}` };
  if (planError) return { state: 'unplannable', words: `cannot be planned: ${planError}` };
  if (neverFires) return { state: 'never_fires', words: NEVER, brief: 'never fires' };
  return definition.shadow
    ? lineStatus(definition.shadow.line, sideAt(handovers, now))
    : { state: 'active', words: 'active' };
}

const NEVER = 'never fires: no instant of its schedule is to come';

function lineStatus(line: string, side: Side | 'unknown'): ReturnType<typeof statusOf> {
  if (side === 'fleet') return { state: 'active', words: `active, in place of cron (line ${line})`, brief: 'active' };
  return side === 'cron'
    ? { state: 'active', words: `in the shadow of cron (line ${line})`, brief: 'shadow' }
    : { state: 'active', words: `held: not known whether cron runs it (line ${line})`, brief: 'held' };
}

/** The pause that holds now, the longest if there are several. */
export function activePause<P extends PauseWindow>(pauses: readonly P[], now: Date): P | undefined {
  const active = pauses.filter(({ fromAt, untilAt }) => fromAt <= now && (untilAt === null || untilAt > now));
  return active.toSorted((one, other) => endOf(other) - endOf(one))[0];
}

function endOf({ untilAt }: PauseWindow): number {
  return untilAt?.getTime() ?? Number.POSITIVE_INFINITY;
}
