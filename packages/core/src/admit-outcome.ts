import type { ChainedRun, RunEffects, StateChange } from './effects.ts';
import { MAX_STATE_BYTES } from './effects.ts';
import { EscapementError } from './errors.ts';
import type { HandlerOutcome } from './handler.ts';
import { admitInstant, nearestInstant } from './instant.ts';
import { admitJson } from './json.ts';
import { admitRunError, failedForGood, MAX_MESSAGE, storableWithin } from './run-error.ts';
import { NAME } from './task-name.ts';

/** Handlers bound their output themselves. Masking may make it longer. */
const MAX_OUTPUT_BYTES = 256 * 1024;
const MAX_INT = 2 ** 31 - 1;

/**
 * The outcome of a handler as the ledger can keep it. Text for people (reasons, errors) is mended: what Postgres cannot store becomes U+FFFD.
 * Values that programs go on with (output, state, payloads, the next instant) are never changed: the attempt has failed if one cannot be
 * kept, and is not tried again, as the work is done. Never throws: an end that cannot be written would be repeated as a lost run.
 */
export function admitOutcome(outcome: HandlerOutcome): HandlerOutcome {
  try {
    return admit(outcome);
  } catch (thrown) {
    return failedForGood(thrown);
  }
}

function admit(outcome: HandlerOutcome): HandlerOutcome {
  switch (outcome.status) {
    case 'succeeded': {
      const { output, exitCode, effects } = outcome;
      return {
        status: 'succeeded',
        ...(output === undefined ? {} : { output: admitJson(output, 'the output', MAX_OUTPUT_BYTES) }),
        ...exitCodeOf(exitCode),
        ...(effects === undefined ? {} : { effects: admitEffects(effects) }),
      };
    }
    case 'skipped':
      return { status: 'skipped', reason: storableWithin(outcome.reason, MAX_MESSAGE) };
    case 'failed': {
      const { error, exitCode, retry, work, seen } = outcome;
      return {
        status: 'failed',
        error: admitRunError(error),
        ...exitCodeOf(exitCode),
        ...retryOf(retry),
        ...(work === undefined ? {} : { work }),
        ...(seen === undefined ? {} : { seen: storableWithin(seen, MAX_MESSAGE) }),
      };
    }
  }
}

function admitEffects({ state, next, chain }: RunEffects): RunEffects {
  return {
    ...(state === undefined ? {} : { state: admitState(state) }),
    ...(next === undefined ? {} : { next: next && admitInstant(next, 'the next run') }),
    ...(chain === undefined ? {} : { chain: chain.map(admitChained) }),
  };
}

function admitState({ value, version, shape }: StateChange): StateChange {
  for (const count of [version, shape])
    if (!Number.isInteger(count) || count < 0 || count > MAX_INT)
      throw new EscapementError('not_json', `the version of the state is ${count}`, { fix: 'give a whole number' });
  return { value: admitJson(value, 'the state', MAX_STATE_BYTES), version, shape };
}

function admitChained({ task, payload }: ChainedRun): ChainedRun {
  if (!NAME.test(task))
    throw new EscapementError(
      'unknown_task',
      `it chains a run of ${JSON.stringify(task.slice(0, 80))}, which names no task`,
    );
  return payload === undefined ? { task } : { task, payload: admitJson(payload, `the payload for ${task}`) };
}

function exitCodeOf(code: number | undefined): { exitCode?: number } {
  return code !== undefined && Number.isInteger(code) && Math.abs(code) <= MAX_INT ? { exitCode: code } : {};
}

/** A wish for a time that is none is no wish: the policy decides. */
function retryOf(retry: Extract<HandlerOutcome, { status: 'failed' }>['retry']) {
  if (retry === undefined || retry === 'never') return retry === undefined ? {} : { retry };
  const at = nearestInstant(retry.at.getTime());
  return Number.isNaN(at.getTime()) ? {} : { retry: { at } };
}
