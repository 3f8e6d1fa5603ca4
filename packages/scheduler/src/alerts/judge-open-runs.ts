import { formatSpan, groupedBy } from '@escapement/core';
import { type AlertRule, type ConditionKind, countingRules } from '@escapement/core/alerts';
import { UNKNOWN_SIDE } from '@escapement/core/shadow';
import {
  type AlertFinding,
  type Database,
  type OpenRunKind,
  type RunForAlert,
  runsForAlert,
  settleAlerts,
  type TaskForAlert,
  type UsualDuration,
} from '@escapement/store';
import { ofTask } from './finding.ts';
import { usualOf } from './usual.ts';

const KINDS: readonly OpenRunKind[] = ['late', 'waiting', 'slow', 'silent', 'unknown', 'held'];

/** Judges open runs by the rules for them. */
export async function judgeOpenRuns(db: Database, rules: readonly AlertRule[]): Promise<void> {
  for (const kind of KINDS) {
    const ofKind = rules.filter(({ when }) => when.kind === kind);
    if (ofKind.length > 0) await judgeKind(db, kind, ofKind);
  }
}

async function judgeKind(db: Database, kind: OpenRunKind, rules: readonly AlertRule[]): Promise<void> {
  const runs = await runsForAlert(db, kind, Math.min(...rules.map(leastMs)));
  const byTask = groupedBy(runs, ({ task }) => task.id);
  const learns = rules.some(({ when }) => when.kind === 'slow' && when.timesP95 !== undefined);
  const took = await usualOf(db, learns ? [...byTask.keys()] : []);
  const findings = [...byTask].flatMap(([id, its]) => findingsOf(kind, rules, its, took.get(id)));
  await settleAlerts(
    db,
    rules.map(({ name }) => name),
    findings,
  );
}

/** None is looked at that cannot be meant. */
function leastMs({ when }: AlertRule): number {
  if (when.kind === 'slow') return when.timesP95 === undefined ? (when.afterMs ?? 0) : 0;
  return 'afterMs' in when ? (when.afterMs ?? 0) : 0;
}

function findingsOf(
  kind: OpenRunKind,
  rules: readonly AlertRule[],
  runs: readonly RunForAlert[],
  usual: UsualDuration | undefined,
): AlertFinding[] {
  const task = runs[0]?.task;
  if (!task) return [];
  return countingRules(rules, task, new Set<ConditionKind>([kind])).flatMap((rule) => {
    const boundMs = boundOf(rule, usual);
    const meant = runs.filter(({ forMs }) => boundMs !== undefined && forMs >= boundMs);
    const [first] = meant;
    if (!first || boundMs === undefined) return [];
    const latest = meant.toReversed();
    return [
      ofTask(rule, task, { ...say(kind, { task, first, boundMs, rule, usual, count: meant.length }), runs: latest }),
    ];
  });
}

/** From when on it is so; undefined: nothing is known of it yet. */
function boundOf({ when }: AlertRule, usual: UsualDuration | undefined): number | undefined {
  if (when.kind !== 'slow') return 'afterMs' in when ? when.afterMs : 0;
  const learned = when.timesP95 !== undefined && usual ? when.timesP95 * usual.p95Ms : undefined;
  const bounds = [learned, when.afterMs].filter((bound) => bound !== undefined);
  return bounds.length === 0 ? undefined : Math.min(...bounds);
}

interface Facts {
  task: TaskForAlert;
  first: RunForAlert;
  boundMs: number;
  rule: AlertRule;
  usual: UsualDuration | undefined;
  count: number;
}

function say(kind: OpenRunKind, facts: Facts): Pick<AlertFinding, 'summary' | 'since' | 'why'> {
  const { task, first, count } = facts;
  const more = count === 1 ? '' : ` (${count} runs)`;
  return { summary: `${task.name} ${summaryOf(kind, facts)}${more}`, since: first.since, why: whyOf(kind, facts) };
}

function summaryOf(kind: OpenRunKind, { first, boundMs }: Facts): string {
  const bound = formatSpan(boundMs);
  switch (kind) {
    case 'late':
      return `is late: it was due more than ${bound} ago, and has not started`;
    case 'waiting':
      return `has waited for its key ${first.key} for more than ${bound}`;
    case 'slow':
      return `runs for more than ${bound}`;
    case 'silent':
      return `has not given a sign of life for more than ${bound}`;
    case 'unknown':
      return 'was cut off, and a person must say what became of it';
    case 'held':
      return first.reason?.startsWith(UNKNOWN_SIDE)
        ? 'was due, and waits until it is known who runs it: `escapement shadow status`'
        : 'was due while nothing ran, and waits for a person to let it go';
  }
}

function whyOf(kind: OpenRunKind, { first, rule, usual }: Facts): string[] {
  const { when } = rule;
  return [
    ...(first.reason === null ? [] : [first.reason]),
    ...(kind === 'waiting' && first.blockedBy ? [`run ${first.blockedBy} has its key`] : []),
    ...(first.worker && (kind === 'slow' || kind === 'silent') ? [`it runs on ${first.worker}`] : []),
    ...(when.kind === 'slow' && when.timesP95 !== undefined && usual
      ? [`95 % of its last ${usual.runs} runs took ${formatSpan(usual.p95Ms)} or less`]
      : []),
  ];
}
