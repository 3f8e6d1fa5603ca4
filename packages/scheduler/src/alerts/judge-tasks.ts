import {
  type AlertRule,
  type ConditionKind,
  type ConditionOf,
  countingRules,
  formatSpan,
  KINDS_OF_TASKS,
  SECOND,
} from '@escapement/core';
import {
  type AlertFinding,
  type Database,
  type LastSuccess,
  lastSuccesses,
  settleAlerts,
  type TaskForAlert,
  tasksForAlerts,
  unplannableTasks,
} from '@escapement/store';
import { ofMissingTask, ofTask } from './finding.ts';

const NO_SUCCESS: ReadonlySet<ConditionKind> = new Set(['no-success']);
/** How often the list of tasks is read anew. */
const LIST_MS = 30 * SECOND;
/** Tasks whose last success is looked up in one statement. */
const PAGE = 500;
/** A task of which an alert is open is looked at so often; where they are many, less often. */
const AGAIN_MS = 2 * SECOND;

export async function judgeUnplannable(db: Database, rules: readonly AlertRule[], now: Date): Promise<void> {
  const ofKind = rules.filter(({ when }) => when.kind === 'unplannable');
  if (ofKind.length === 0) return;
  const tasks = await unplannableTasks(db);
  const findings = tasks.flatMap(({ task, why }) =>
    countingRules(ofKind, task, KINDS_OF_TASKS).map((rule) =>
      ofTask(rule, task, { summary: `${task.name} cannot be planned`, since: now, why: [why] }),
    ),
  );
  await settleAlerts(
    db,
    ofKind.map(({ name }) => name),
    findings,
  );
}

interface Watched {
  task: TaskForAlert;
  rule: NoSuccessRule;
  /** When its last success is looked up next, on the clock of Postgres. */
  dueMs: number;
  finding: AlertFinding | undefined;
}

type NoSuccessRule = AlertRule & { when: ConditionOf<'no-success'> };

/**
 * Tasks that have not succeeded for too long. Each is looked up when its last success may have become too old, not before: what that
 * costs grows with how often that is, and not with how many tasks there are.
 */
export function createNoSuccess(db: Database) {
  let watched = new Map<string, Watched>();
  let missing: AlertFinding[] = [];
  let listedMs = Number.NEGATIVE_INFINITY;
  let listedFor: readonly AlertRule[] | undefined;
  let settled = false;

  async function list(rules: readonly NoSuccessRule[], nowMs: number): Promise<void> {
    const tasks = await tasksForAlerts(db);
    const before = watched;
    watched = new Map();
    for (const task of tasks)
      for (const rule of countingRules(rules, task, NO_SUCCESS).filter(isNoSuccess)) {
        const key = `${rule.name}/${task.id}`;
        const known = before.get(key);
        watched.set(key, {
          task,
          rule,
          dueMs: known && sameSpan(known.rule, rule) ? known.dueMs : nowMs,
          finding: known?.finding,
        });
      }
    const names = new Set(tasks.map(({ name }) => name));
    missing = rules.flatMap((rule) => {
      const { task } = rule.on;
      if (!rule.enabled || task === undefined || names.has(task)) return [];
      return [
        ofMissingTask(rule, task, { summary: `${task} cannot succeed: there is no such task`, since: new Date(nowMs) }),
      ];
    });
  }

  async function lookUp(due: readonly Watched[], againMs: number): Promise<void> {
    const byId = new Map(
      (
        await lastSuccesses(
          db,
          due.map(({ task }) => task.id),
        )
      ).map((each) => [each.taskId, each]),
    );
    for (const each of due) {
      const success = byId.get(each.task.id);
      if (success) judge(each, success, againMs);
    }
  }

  return async (all: readonly AlertRule[], now: Date): Promise<void> => {
    const rules = all.filter(isNoSuccess);
    if (rules.length === 0) return;
    const nowMs = now.getTime();
    if (listedFor !== all || nowMs - listedMs >= LIST_MS) {
      await list(rules, nowMs);
      listedMs = nowMs;
      listedFor = all;
      settled = false;
    }
    const due = [...watched.values()].filter(({ dueMs }) => dueMs <= nowMs);
    const openMs =
      AGAIN_MS * Math.max(1, Math.ceil([...watched.values()].filter(({ finding }) => finding).length / PAGE));
    for (let at = 0; at < due.length; at += PAGE) await lookUp(due.slice(at, at + PAGE), openMs);
    if (due.length === 0 && settled) return;
    const findings = [...watched.values()].flatMap(({ finding }) => finding ?? []);
    await settleAlerts(
      db,
      rules.map(({ name }) => name),
      [...findings, ...missing],
    );
    settled = true;
  };
}

function isNoSuccess(rule: AlertRule): rule is NoSuccessRule {
  return rule.when.kind === 'no-success';
}

function sameSpan(one: NoSuccessRule, other: NoSuccessRule): boolean {
  return one.when.forMs === other.when.forMs;
}

function judge(watched: Watched, { at, createdAt, now }: LastSuccess, againMs: number): void {
  const { task, rule } = watched;
  const { forMs } = rule.when;
  const since = at ?? createdAt;
  const untilMs = since.getTime() + forMs;
  if (untilMs > now.getTime()) {
    watched.finding = undefined;
    watched.dueMs = untilMs;
    return;
  }
  const what = at ? `its last success was at ${at.toISOString()}` : `no run of it that is kept has succeeded`;
  watched.finding = ofTask(rule, task, {
    summary: `${task.name} has not succeeded for ${formatSpan(forMs)}`,
    since,
    why: [what],
  });
  watched.dueMs = now.getTime() + againMs;
}
