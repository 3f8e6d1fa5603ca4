import { DAY } from '@escapement/core';
import type { ConditionOf } from '@escapement/core/alerts';
import { nextFire, parseSchedule, type Schedule } from '@escapement/core/schedule';
import { lastStarts } from '@escapement/store';
import type { InTime } from './judge-in-time.ts';

/** By a time of day no run of a task has started since midnight. */
export const NOT_STARTED_BY: InTime = {
  kind: 'not-started-by',
  verb: 'start',
  read: lastStarts,
  judge({ when }, { name }, { at, createdAt, shadowUntil, now }) {
    if (when.kind !== 'not-started-by') throw new TypeError(`a rule of ${when.kind}`);
    const deadlines = deadlinesOf(when);
    const untilMs = nextFire(deadlines, now)?.getTime() ?? Number.POSITIVE_INFINITY;
    const deadline = lastFire(deadlines, now);
    const midnight = deadline && lastFire(midnightsOf(when), deadline);
    // One that came during the day, or out of the shadow of cron, is not late for it.
    const since = shadowUntil ?? createdAt;
    if (!deadline || !midnight || since > midnight || (at !== null && at >= midnight)) return { untilMs };
    const summary = `${name} had not started by ${when.at} (${when.timeZone})`;
    const what = at ? `its last start was at ${at.toISOString()}` : 'no run of it that is kept has started';
    return { said: { summary, since: deadline, why: [what] } };
  },
};

type When = ConditionOf<'not-started-by'>;

function deadlinesOf({ at, timeZone, days }: When): Schedule {
  const [hour = 0, minute = 0] = at.split(':').map(Number);
  return parseSchedule({ kind: 'cron', expression: `${minute} ${hour} * * ${days?.join(',') ?? '*'}`, timeZone });
}

function midnightsOf({ timeZone }: When): Schedule {
  return parseSchedule({ kind: 'cron', expression: '0 0 * * *', timeZone });
}

/** The last one up to then, of a schedule that is due each week. */
function lastFire(schedule: Schedule, until: Date): Date | undefined {
  let last: Date | undefined;
  let fire = nextFire(schedule, new Date(until.getTime() - 8 * DAY));
  for (; fire && fire <= until; fire = nextFire(schedule, fire)) last = fire;
  return last;
}
