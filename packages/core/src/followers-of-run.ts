import type { ChainedRun } from './effects.ts';
import { EscapementError } from './errors.ts';
import { DEFAULT_LATE_AFTER_MS, LIFECYCLE_EVENTS, type LifecycleEvent, type ThenLink } from './follower-fields.ts';
import type { Json } from './json.ts';
import { renderPayload } from './payload-template.ts';
import { isLost } from './restored.ts';
import { type FinishedRun, recordOf } from './run-record.ts';
import { FAILED_STATES, type RunState } from './run-state.ts';
import type { TaskDefinition } from './task.ts';

/** Most links that lead to a run; what would be further is refused, so that no chain goes on for ever. */
export const MAX_CHAIN_DEPTH = 100;

/** A run that is to follow another one. */
export interface Follower {
  task: string;
  origin: 'chain' | 'lifecycle';
  /** Which of the runs that follow it is, for ever the same: so that it is made once, however often it is tried. */
  ordinal: number;
  /** Undefined: that of its task. */
  payload: Json | undefined;
}

type Followed = Pick<TaskDefinition, 'then' | LifecycleEvent | 'lateAfterMs'>;

/** Ordinals below are those of `ctx.chain`. */
const FIRST_THEN = 1000;
const FIRST_LIFECYCLE = 2000;

/** The ordinal of the run at the date that a run has decided for the next one of its task. */
export const NEXT_ORDINAL = -1;

/** What the handler itself asked for. */
export function chainedFollowers(chain: readonly ChainedRun[]): Follower[] {
  return chain.map(({ task, payload }, ordinal) => ({ task, origin: 'chain', ordinal, payload }));
}

/** What follows the start of a run. `run` is as it was then. */
export function followersOfStart(definition: Followed, run: FinishedRun): Follower[] {
  const lateMs = run.startedAt ? run.startedAt.getTime() - run.dueAt.getTime() : 0;
  return lifecycle(definition, run, {
    onStart: true,
    onLate: lateMs > (definition.lateAfterMs ?? DEFAULT_LATE_AFTER_MS),
    onMisfire: run.origin === 'catch_up',
  });
}

/**
 * What follows the end of a run; and what ought to, and cannot be made of what the run has given back: a mistake in one
 * must not cost the others.
 */
export function followersOfFinish(
  definition: Followed,
  run: FinishedRun,
): { followers: Follower[]; problems: EscapementError[] } {
  const { state, attempt } = run;
  if (isLost(run.reason)) return { followers: [], problems: [] };
  const followers = lifecycle(definition, run, {
    onSuccess: state === 'succeeded',
    onFailure: FAILED_STATES.includes(state),
    onFinish: attempt > 0 && state !== 'missed',
    onSkip: state === 'skipped',
    onMisfire: state === 'missed',
  });
  const problems: EscapementError[] = [];
  for (const [index, link] of (definition.then ?? []).entries()) {
    if (!fits(link.when, run)) continue;
    try {
      const payload = thenPayload(link, run);
      followers.push({ task: link.task, origin: 'chain', ordinal: FIRST_THEN + index, payload });
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      const { code, message, fix } = error;
      problems.push(new EscapementError(code, `then ${link.task}: ${message}`, fix === undefined ? {} : { fix }));
    }
  }
  return { followers, problems };
}

function lifecycle(
  definition: Followed,
  run: FinishedRun,
  happened: { [Event in LifecycleEvent]?: boolean },
): Follower[] {
  return LIFECYCLE_EVENTS.flatMap((event, index): Follower[] => {
    const task = definition[event];
    if (task === undefined || !happened[event]) return [];
    const payload = JSON.parse(JSON.stringify(recordOf(run, event))) as Json;
    return [{ task, origin: 'lifecycle', ordinal: FIRST_LIFECYCLE + index, payload }];
  });
}

function fits(when: ThenLink['when'], { state, attempt }: FinishedRun): boolean {
  switch (when) {
    case 'success':
      return state === 'succeeded';
    case 'failure':
      return FAILED_STATES.includes(state);
    case 'always':
      return attempt > 0;
  }
}

function thenPayload({ payload }: ThenLink, run: FinishedRun): Json | undefined {
  if (payload === undefined) return run.output;
  const record = JSON.parse(JSON.stringify(recordOf(run))) as Json;
  return renderPayload(payload, { output: run.output, payload: run.payload, run: record });
}

/**
 * Whether the database notes it when a run comes into this state (its function `note_run_change` has the same rules): then
 * whoever brought it there had better look at what is to be done.
 */
export function isNoted(definition: Followed, state: RunState): boolean {
  return fieldsFor(state).some((field) => definition[field] !== undefined);
}

function fieldsFor(state: RunState): readonly ('then' | LifecycleEvent)[] {
  switch (state) {
    case 'running':
      return ['onStart', 'onLate', 'onMisfire'];
    case 'succeeded':
      return ['then', 'onSuccess', 'onFinish'];
    case 'failed':
    case 'timed_out':
    case 'quarantined':
      return ['then', 'onFailure', 'onFinish'];
    case 'cancelled':
      return ['then', 'onFinish'];
    case 'skipped':
      return ['then', 'onSkip', 'onFinish'];
    case 'missed':
      return ['onMisfire'];
    default:
      return [];
  }
}
