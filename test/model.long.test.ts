import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkModel, MODEL, missingForModel } from './model/check-model.ts';

/** Faults together make too many states: each line has those that meet in one fleet. */
const BOUNDS = [
  'CRASH=1 FLUSH=1',
  'CRASH=1 PERSON=1',
  'CRASH=1 PERSON=1 STEADY=1',
  'FREEZE=1',
  'CUT=1',
  'CUT=2',
  'REPLY=1',
  'LIMIT=2 CRASH=1 FLUSH=1',
  'LIMIT=2 CRASH=1 PERSON=1',
];

/** Of each guard: the bounds in which it is missed, and the property that fails without it. */
const GUARDS: Readonly<Record<string, readonly [bounds: string, breaks: string]>> = {
  OCCURRENCE_KEY: ['PERSON=1', 'I1'],
  PLAN_SEQ: ['PERSON=1', 'WITHDRAWN'],
  BEGIN_EDITED: ['PERSON=1', 'WITHDRAWN'],
  BEGIN_PAUSED: ['PERSON=1', 'WITHDRAWN'],
  BEGIN_CANCELLED: ['PERSON=1', 'WITHDRAWN'],
  FENCE_GROWS: ['REPLY=0', 'I3'],
  FINISH_FENCE: ['FREEZE=1', 'I3'],
  FINISH_STATE: ['FREEZE=1', 'I4'],
  LOSE_AS_SEEN: ['FREEZE=1', 'I4'],
  BEGIN_AS_QUEUED: ['REPLY=1', 'I4'],
  BEGIN_SLOT: ['FREEZE=1', 'I5'],
  SELF_ABORT: ['FREEZE=1', 'I5'],
  HEARTBEAT_PROOF: ['CUT=1', 'I5'],
  LEASE_PROOF: ['CUT=1', 'I5'],
  LEASE_GONE: ['CUT=1 FLUSH=1', 'I5'],
  LOST_RUNS: ['CRASH=1', 'I6'],
  LEFT_OUT: ['REPLY=1', 'I6'],
  STUCK_JOBS: ['CRASH=1', 'I6'],
  MISSING_JOBS: ['FLUSH=1', 'I6'],
  CANCEL_PENDING: ['PERSON=1', 'I6'],
  BEGIN_ID: ['REPLY=1', 'I8'],
  ORDER: ['CRASH=0', 'I13'],
};

const missing = missingForModel();
if (missing) process.stdout.write(`left out: the check of the model: ${missing} is not installed\n`);

describe.skipIf(missing)('the model of the protocol', () => {
  it.concurrent.each(BOUNDS)(
    'keeps all properties in each order of steps, with %s',
    async (bounds) => {
      const { broken, isExhaustive, states } = await checkModel(bounds.split(' '));
      expect({ broken, isExhaustive }).toEqual({ broken: undefined, isExhaustive: true });
      process.stdout.write(`${bounds}: ${states} states\n`);
    },
    600_000,
  );

  it.concurrent.each(['CRASH=1', 'PERSON=1', 'LIMIT=2 CRASH=1'])(
    'never goes round in circles, with %s',
    async (bounds) => {
      expect(await checkModel(bounds.split(' '), 'circles')).toMatchObject({ broken: undefined, isExhaustive: true });
    },
  );

  it.concurrent.each(Object.entries(GUARDS))(
    'breaks without the guard %s',
    async (guard, [bounds, breaks]) => {
      const { broken } = await checkModel([...bounds.split(' '), `NO_GUARD_${guard}`]);
      expect(broken).toBe(breaks);
    },
    600_000,
  );
});

it('the test and the page of the model name each guard, and what breaks without it', () => {
  const model = readFileSync(MODEL, 'utf8');
  const inModel = new Set([...model.matchAll(/^#ifn?def NO_GUARD_(\w+)/gm)].map(([, guard]) => guard));
  expect([...inModel].sort()).toEqual(Object.keys(GUARDS).sort());
  const page = readFileSync(new URL('../docs/explanation/model.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \|.*\| `?(\w+)`? \|$/gm)].map(([, guard, breaks]) => [guard, breaks]);
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(Object.entries(GUARDS).map(([guard, [, breaks]]) => [guard, breaks])),
  );
});
