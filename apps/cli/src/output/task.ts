import {
  describeSchedule,
  parseSchedule,
  redactDefinition,
  type ScheduleSpec,
  type TaskDefinition,
} from '@escapement/core';
import type { PauseWindow, Task } from '@escapement/store';
import { counted, inUtc, inZone } from './wording.ts';

/** A task as `-o json` has it. */
export function taskJson(task: Task): object {
  return { ...task, definition: redactDefinition(task.definition), meaning: inWords(task.definition) };
}

/** When a task runs, in words. */
export function inWords({ schedule, onFleetStart, spread }: Scheduled): string {
  const start = onFleetStart ? 'when the fleet comes up' : '';
  const where = spread ? ', on every worker' : '';
  if (schedule.kind === 'manual') return `${start || 'by hand'}${where}`;
  const words = `${describeSchedule(parseSchedule(schedule))}${where}`;
  return start ? `${words}, and ${start}` : words;
}

type Scheduled = Pick<TaskDefinition, 'schedule' | 'onFleetStart' | 'spread'>;

export function zoneOf(spec: ScheduleSpec): string | undefined {
  return 'timeZone' in spec ? spec.timeZone : undefined;
}

/** When a task starts next, in the zone of its schedule. */
export function nextRun({ nextStartAt, definition }: Task): string {
  return nextStartAt ? inZone(nextStartAt, zoneOf(definition.schedule) ?? 'UTC') : '-';
}

/** `resting`: a run of it has decided that it does not run again. `unplannable`: it cannot be planned. */
export const TASK_STATES = ['active', 'paused', 'resting', 'unplannable'] as const;

export type TaskState = (typeof TASK_STATES)[number];

/** How a task stands. */
export interface TaskStand {
  state: TaskState;
  words: string;
  /** The same for a line of a list. */
  brief: string;
}

export function taskState(task: Task, now: Date): TaskStand {
  const { brief, ...stand } = standOf(task, now);
  return { ...stand, brief: brief ?? stand.words };
}

function standOf({ pauses, planError }: Task, now: Date): Omit<TaskStand, 'brief'> & { brief?: string } {
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
  if (decided) return { state: 'resting', words: `at rest for good, decided by run ${decided.runId}` };
  return planError
    ? { state: 'unplannable', words: `cannot be planned: ${planError}` }
    : { state: 'active', words: 'active' };
}

/** The pause that holds now, the longest if there are several. */
export function activePause<P extends PauseWindow>(pauses: readonly P[], now: Date): P | undefined {
  const active = pauses.filter(({ fromAt, untilAt }) => fromAt <= now && (untilAt === null || untilAt > now));
  return active.toSorted((one, other) => endOf(other) - endOf(one))[0];
}

function endOf({ untilAt }: PauseWindow): number {
  return untilAt?.getTime() ?? Number.POSITIVE_INFINITY;
}
