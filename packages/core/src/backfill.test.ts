import { expect, test } from 'vitest';
import { judgeBackfill, REPROCESS } from './backfill.ts';
import { RUN_STATES } from './run-state.ts';

const actionsOn = (state: (typeof RUN_STATES)[number]) =>
  REPROCESS.filter((reprocess) => judgeBackfill({ runId: 'r', state }, reprocess).kind === 'rerun');

test('an occurrence without a row is run, whatever is to be run again', () => {
  for (const reprocess of REPROCESS) expect(judgeBackfill(undefined, reprocess)).toEqual({ kind: 'run' });
});

test('one that has a row is run again as the options say, and an open one never', () => {
  expect(Object.fromEntries(RUN_STATES.map((state) => [state, actionsOn(state).join(' ')]))).toEqual({
    planned: '',
    queued: '',
    waiting: '',
    running: '',
    retrying: '',
    held: '',
    unknown: '',
    succeeded: 'all',
    failed: 'failed all',
    timed_out: 'failed all',
    cancelled: 'all',
    quarantined: 'failed all',
    skipped: 'none failed all',
    missed: 'none failed all',
    superseded: 'all',
  });
});
