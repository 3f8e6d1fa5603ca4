import type { components } from './api/generated/openapi.ts';

export type RunState = components['schemas']['RunState'];
export type TaskState = components['schemas']['TaskState'];

/** Colours of states, as tokens of `theme/tokens.css`. */
export type Tone = 'good' | 'bad' | 'busy' | 'waiting' | 'attention' | 'missed' | 'quiet';

/** Shapes tell states apart without their colour. */
export type Shape =
  | 'check'
  | 'cross'
  | 'play'
  | 'clock'
  | 'ring'
  | 'hand'
  | 'gap'
  | 'question'
  | 'slash'
  | 'retry'
  | 'dot';

export interface Look {
  tone: Tone;
  shape: Shape;
  /** As the documents call it. */
  words: string;
  /** It stands for work that was left out: drawn hollow. */
  hollow?: boolean;
}

/** How each state of a run looks. Total: a new state of the API does not compile until it has a look. */
export const RUN_LOOKS: Readonly<Record<RunState, Look>> = {
  planned: { tone: 'quiet', shape: 'ring', words: 'planned', hollow: true },
  queued: { tone: 'waiting', shape: 'clock', words: 'queued' },
  waiting: { tone: 'waiting', shape: 'hand', words: 'waiting' },
  running: { tone: 'busy', shape: 'play', words: 'running' },
  retrying: { tone: 'attention', shape: 'retry', words: 'retrying' },
  held: { tone: 'attention', shape: 'hand', words: 'held' },
  unknown: { tone: 'attention', shape: 'question', words: 'unknown' },
  succeeded: { tone: 'good', shape: 'check', words: 'succeeded' },
  failed: { tone: 'bad', shape: 'cross', words: 'failed' },
  timed_out: { tone: 'bad', shape: 'clock', words: 'timed out' },
  cancelled: { tone: 'quiet', shape: 'slash', words: 'cancelled' },
  quarantined: { tone: 'bad', shape: 'hand', words: 'quarantined' },
  skipped: { tone: 'quiet', shape: 'ring', words: 'skipped', hollow: true },
  missed: { tone: 'missed', shape: 'gap', words: 'missed', hollow: true },
  superseded: { tone: 'quiet', shape: 'slash', words: 'superseded', hollow: true },
};

export const TASK_LOOKS: Readonly<Record<TaskState, Look>> = {
  active: { tone: 'good', shape: 'dot', words: 'active' },
  paused: { tone: 'attention', shape: 'hand', words: 'paused' },
  finished: { tone: 'quiet', shape: 'ring', words: 'finished' },
  unplannable: { tone: 'bad', shape: 'cross', words: 'unplannable' },
  never_fires: { tone: 'missed', shape: 'gap', words: 'never fires' },
};

export const RUN_STATES = Object.keys(RUN_LOOKS) as RunState[];

const ENDED: ReadonlySet<RunState> = new Set([
  ...(['succeeded', 'failed', 'timed_out', 'cancelled', 'quarantined', 'skipped', 'missed', 'superseded'] as const),
]);

export function hasEnded(state: RunState): boolean {
  return ENDED.has(state);
}

/** Those that can be run once more: nothing of them is under way. */
export function canRerun(state: RunState): boolean {
  return hasEnded(state);
}

export function canCancel(state: RunState): boolean {
  return !hasEnded(state) && state !== 'unknown';
}
