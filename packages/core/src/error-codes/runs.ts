import type { ErrorText } from './error-text.ts';

/** Runs. */
export const RUNS_ERRORS = {
  backfill_ended: { when: 'the backfill has ended already', fix: 'see `escapement backfill list`' },
  backfill_too_long: { when: 'the range has more occurrences than one backfill may', fix: 'split the range' },
  cannot_replay: { when: '`what-if` cannot replay this task', fix: 'ask for a task without spread' },
  forecast_too_large: {
    when: 'more runs are due in the time than a forecast counts',
    fix: 'ask for a shorter time, or for one pool',
  },
  key_changed: {
    when: 'the key changed hands since the caller looked at it',
    fix: 'look at it again with `escapement keys show`',
  },
  key_free: { when: 'nobody holds the key', fix: 'see `escapement keys list --busy`' },
  key_reserved: { when: 'the key is reserved for the next run in its queue', fix: 'wait some seconds' },
  never_ran: { when: 'no run of the task has ended in the time that was asked', fix: 'ask for a longer time' },
  no_occurrences: { when: 'the schedule has no occurrences to go back over', fix: 'use `escapement tasks trigger`' },
  no_reason: { when: 'the act needs a reason, and none was given', fix: 'say why' },
  no_run_begun: { when: 'no run has begun yet', fix: 'see `escapement runs list --planned`' },
  no_scheduler_answers: {
    when: 'no scheduler is alive to carry out the request',
    fix: 'start one; see `escapement doctor`',
  },
  request_ended: { when: 'the request has ended already', fix: 'see `escapement requests show`' },
  request_failed: {
    when: 'a request was not carried out because of a mistake in a scheduler',
    fix: 'see the log of the schedulers',
  },
  run_ended: {
    when: 'the run has ended, or its fate is unknown',
    fix: 'see `escapement runs show`; an unknown run is resolved',
  },
  run_failed: { when: 'a client waited for a run, and it did not succeed', fix: 'look at its state and reason' },
  run_gone: {
    when: 'a test waited for a run that is not in the ledger any more',
    fix: 'give the task a longer `retentionDays`',
  },
  run_not_unknown: {
    when: 'the run is not `unknown`, so there is nothing to resolve',
    fix: 'see `escapement runs list --state unknown`',
  },
  run_of_every_worker: { when: 'the run stands for runs on every worker', fix: 'trigger the task instead' },
  run_open: { when: 'the run has not ended', fix: 'wait for its end, or cancel it' },
  run_pruned: {
    when: 'the run was deleted at the end of its retention',
    fix: 'give the task a longer `retentionDays`',
  },
  run_races: { when: 'the run or its task kept changing meanwhile', fix: 'try again' },
  run_rerunning: { when: 'the run is being re-run already', fix: 'see the run that is named' },
  run_stretch: {
    when: 'the row stands for many occurrences, so it cannot be run again as one',
    fix: 'trigger the task, or make a backfill',
  },
  runs_on_every_worker: {
    when: 'a backfill is not possible for a task that runs on every worker',
    fix: 'retry the runs that were missed',
  },
  several_slots: { when: 'the key has several slots that are held', fix: 'say which with `--slot`' },
  too_many_pieces: { when: 'the steps of a forecast make too many pieces', fix: 'give a longer step, or fewer days' },
  unknown_backfill: { when: 'there is no backfill with this number', fix: 'see `escapement backfill list`' },
  unknown_batch: { when: 'there is no batch with this id', fix: 'a batch is deleted with the run that asked for it' },
  unknown_error: {
    when: 'no run has failed with this error in that time',
    fix: 'ask for an earlier time; see `escapement errors list`',
  },
  unknown_request: { when: 'there is no request with this id', fix: 'requests are kept for a day after their end' },
  unknown_run: { when: 'there is no run with this id', fix: 'it may have been deleted at the end of its retention' },
  unknown_verification: {
    when: 'there is no verification with this id',
    fix: 'verifications are kept for a day after their end',
  },
  verification_runs: { when: 'the ledger is being verified already', fix: 'wait for its end' },
} as const satisfies Record<string, ErrorText>;
