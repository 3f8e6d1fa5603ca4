import { EscapementError } from '@escapement/core';
import { type TimeboxOperator, timebox } from '../timebox/timebox.ts';
import type { TestTime } from './test-time.ts';

/** Turns in which no time has passed, after which none ever will. */
const MOST_AT_ONCE = 1_000_000;

/** Time boxes whose turns take so long, beside what the operator itself lets pass. */
export function testTimebox(turnMs: number, time: TestTime): typeof timebox {
  return (operator, options) => {
    // What is no function is for the box to refuse.
    if (typeof operator !== 'function') return timebox(operator, options);
    const work = turnMs === 0 ? guarded(operator, time) : lasting(operator, turnMs, time);
    return timebox(work, options);
  };
}

function lasting(operator: TimeboxOperator, turnMs: number, time: TestTime): TimeboxOperator {
  return async (turn) => {
    const answer = await operator(turn);
    await time.advance(turnMs);
    return answer;
  };
}

/** A box that never ends would hold up the tests without a word. */
function guarded(operator: TimeboxOperator, time: TestTime): TimeboxOperator {
  let sinceMs = time.clock.monotonicMs();
  let turns = 0;
  return (turn) => {
    const nowMs = time.clock.monotonicMs();
    turns = nowMs === sinceMs ? turns + 1 : 0;
    sinceMs = nowMs;
    if (turns < MOST_AT_ONCE) return operator(turn);
    throw new EscapementError('time_stands_still', `${MOST_AT_ONCE} turns of a time box took no time`, {
      fix: 'give testTask `turnMs`, let a fake call `run.advance(ms)`, or return false when the work is done',
    });
  };
}
