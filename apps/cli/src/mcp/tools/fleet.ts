import { examineFleet, getForecast, listErrors } from '@escapement/api/routes';
import { counted, inUtc } from '@escapement/core';
import { inQuery, own } from '../fields.ts';
import { tool } from '../tool.ts';

export const listErrorsTool = tool({
  name: 'list_errors',
  title: 'List groups of failures',
  description:
    'Failures for good, grouped by class of the error, first own place and message; the most frequent first. lastRunId, given to get_run or get_run_log, shows one of them.',
  route: listErrors,
  effect: null,
  writtenByTasks: 'name, message and frame',
  input: inQuery(listErrors, ['since', 'task', 'label', 'state', 'newSince', 'limit']),
  async call({ limit = 20, ...query }, { withFleet, signal }) {
    const { items, ...others } = await withFleet((fleet) =>
      fleet.call(listErrors, { query: { ...query, limit } }, { signal }),
    );
    const groups = items.map(({ hours, ...group }) => group);
    const back = others.lookedBackTo ? `; looked through back to ${inUtc(others.lookedBackTo)}` : '';
    return {
      result: { items: groups, ...others },
      words: `${groups.length} of ${counted(others.total, 'group')}${back}`,
      rest: 'ask with a label, a task or a shorter time, or `escapement -o json errors list`',
    };
  },
});

export const getForecastTool = tool({
  name: 'get_forecast',
  title: 'Forecast',
  description:
    'What will start when, how much of it will be at work at once, and where that is more than a pool or a key allows; at most 31 days.',
  route: getForecast,
  effect: null,
  input: inQuery(getForecast, ['from', 'days', 'step', 'pool', 'key', 'label', 'timeZone']),
  async call(query, { withFleet, signal }) {
    const forecast = await withFleet((fleet) => fleet.call(getForecast, { query }, { signal }));
    const { from, to, tasks, runs, pools } = forecast;
    const over = pools.filter(({ capacity, p95 }) => p95.runs > capacity).map(({ pool }) => pool);
    const full = over.length === 0 ? '' : `; more at once than there are workers for in ${over.join(', ')}`;
    return {
      result: forecast,
      words: `${counted(runs, 'run')} of ${counted(tasks, 'task')} from ${inUtc(from)} to ${inUtc(to)}${full}`,
      rest: 'ask for fewer days, one pool or key, or a longer step',
    };
  },
});

export const examineFleetTool = tool({
  name: 'examine_fleet',
  title: 'Doctor: examine the fleet',
  description:
    'Checks Postgres, Redis, dangerous settings, clocks, schedulers and workers, as `escapement doctor` does. Each finding is ok, warning or problem, with what to do.',
  route: examineFleet,
  effect: null,
  input: own({}),
  async call(_, { withFleet, signal }) {
    const examination = await withFleet((fleet) => fleet.call(examineFleet, {}, { signal }));
    const count = (wanted: string) => examination.findings.filter(({ level }) => level === wanted).length;
    return {
      result: examination,
      words: `${counted(count('problem'), 'problem')}, ${counted(count('warning'), 'warning')}`,
      rest: '`escapement doctor`',
    };
  },
});
