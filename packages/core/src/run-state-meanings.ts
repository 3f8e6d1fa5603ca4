import type { RunOrigin, RunState } from './run-state.ts';

/** What each state means, for people. docs/reference/states.md is made of it. */
export const STATE_MEANINGS: Readonly<Record<RunState, string>> = {
  planned: 'It is in the ledger, and not yet in the queue.',
  queued: 'It is in the queue: a worker takes it when it is due.',
  waiting: 'It waits for its key, which other runs hold, or for its rate.',
  running: 'A worker runs it.',
  retrying: 'An attempt has ended, and the next one is due later. The run keeps its slot of the key.',
  held: 'It is late, and waits for a person to decide (`catchUp: ask`).',
  unknown:
    'Nobody can tell whether its work was done: it was cut off, and its task asks for at most one start; or it was open in a ledger that was restored. A person has to say what became of it.',
  succeeded: 'Its last attempt succeeded.',
  failed: 'Its last attempt failed, and no other one follows.',
  timed_out: 'Its last attempt took longer than its time limit, and no other one follows.',
  cancelled: 'A person or program has cancelled it, or its task was deleted.',
  quarantined: 'Its worker died so often that it is not started again.',
  skipped:
    'It did not run, by a rule: its key was busy, its task was paused, a calendar excluded it, the handler said so.',
  missed: 'It did not run, because it could not start in time.',
  superseded: 'Its task was edited before it began; the new version has its own runs.',
};

/** Where rows come from, for people. */
export const ORIGIN_MEANINGS: Readonly<Record<RunOrigin, string>> = {
  schedule: 'The schedule: an occurrence.',
  catch_up: 'The schedule, after the instant had passed: an occurrence that was caught up.',
  backfill: 'A backfill: an occurrence of the past.',
  trigger: 'A person or a program has triggered it.',
  rerun: 'It runs an earlier run again.',
  chain: 'It follows another run (`then`, `ctx.chain`, a batch).',
  lifecycle: 'It follows an event of another run (`onFailure` and others).',
};
