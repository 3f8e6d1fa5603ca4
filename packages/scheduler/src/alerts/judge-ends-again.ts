import { type AlertRule, countingRules, KINDS_OF_ENDS } from '@escapement/core/alerts';
import {
  type Database,
  type LatestEnd,
  latestEnds,
  type OpenAlert,
  openAlertsOf,
  resolveAlerts,
} from '@escapement/store';
import { FAILED } from './judge-ends.ts';

/** Open alerts in one statement. */
const PAGE = 500;

/** Judges again what is open since a run failed or was missed, a page of alerts a pass. */
export function createEndsAgain(db: Database) {
  let after = 0n;
  return async (rules: readonly AlertRule[]): Promise<void> => {
    const open = await openAlertsOf(db, { kinds: ['failed', 'quarantined', 'missed'], after, limit: PAGE });
    after = open.length === PAGE ? (open.at(-1)?.id ?? 0n) : 0n;
    if (open.length === 0) return;
    const ruleOf = new Map(rules.map((rule) => [rule.name, rule]));
    const wanted = open.flatMap(({ taskId, rule }) =>
      taskId === null ? [] : { id: taskId, wanted: runsAsked(ruleOf.get(rule)) },
    );
    const ends = await latestEnds(db, mostOfEach(wanted));
    const over = open.filter(({ rule, taskId, lastAt }) => {
      const condition = ruleOf.get(rule)?.when;
      return condition !== undefined && isOver(condition, ends.get(taskId ?? '') ?? [], lastAt);
    });
    await resolveAlerts(
      db,
      over.map(({ id }) => id),
    );
  };
}

/** Whether a failure is over is told by the last end, but where so many of the last runs count. */
function runsAsked(rule: AlertRule | undefined): number {
  return rule?.when.kind === 'failed' ? (rule.when.of?.runs ?? 1) : 1;
}

function mostOfEach(tasks: readonly { id: string; wanted: number }[]): { id: string; wanted: number }[] {
  const most = new Map<string, number>();
  for (const { id, wanted } of tasks) most.set(id, Math.max(most.get(id) ?? 1, wanted));
  return [...most].map(([id, wanted]) => ({ id, wanted }));
}

/** Ends what is open of tasks that its rule does not mean any more: it was saved for others, or a narrower one has come. */
export async function endUnmeant(db: Database, rules: readonly AlertRule[]): Promise<void> {
  for (let after: bigint | undefined = 0n; after !== undefined; ) {
    const open: OpenAlert[] = await openAlertsOf(db, { kinds: [...KINDS_OF_ENDS], after, limit: PAGE });
    const unmeant = open.filter(
      ({ rule, task }) => task && !countingRules(rules, task, KINDS_OF_ENDS).some(({ name }) => name === rule),
    );
    await resolveAlerts(
      db,
      unmeant.map(({ id }) => id),
      'its rule does not mean this task any more',
    );
    after = open.length === PAGE ? open.at(-1)?.id : undefined;
  }
}

/** With the next success; where so many of the last runs counted, when they are fewer. */
function isOver(condition: AlertRule['when'], ends: readonly LatestEnd[], lastAt: Date): boolean {
  const [last] = ends;
  if (condition.kind === 'failed' && condition.of) {
    const among = ends.slice(0, condition.of.runs);
    return among.filter(({ state }) => FAILED.includes(state)).length < condition.of.failures;
  }
  return last?.state === 'succeeded' && last.finishedAt >= lastAt;
}
