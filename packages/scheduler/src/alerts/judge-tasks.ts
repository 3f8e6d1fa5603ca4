import {
  type AlertRule,
  type ConditionKind,
  type ConditionOf,
  countingRules,
  formatSpan,
  KINDS_OF_TASKS,
  SECOND,
} from '@escapement/core';
import { createDueHeap, type DueHeap } from '@escapement/queue';
import {
  type AlertFinding,
  type Database,
  type LastSuccess,
  lastSuccesses,
  settleAlerts,
  type TaskForAlert,
  tasksFingerprint,
  tasksForAlerts,
  unplannableTasks,
} from '@escapement/store';
import { ofMissingTask, ofTask } from './finding.ts';

const NO_SUCCESS: ReadonlySet<ConditionKind> = new Set(['no-success']);
/** How often it is looked whether the tasks are still the same. */
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
}

type NoSuccessRule = AlertRule & { when: ConditionOf<'no-success'> };

const keyOf = ({ task, rule }: Pick<Watched, 'task' | 'rule'>) => `${rule.name}/${task.id}`;

/**
 * Tasks that have not succeeded for too long. Each is looked up when its last success may have become too old, not before: what that
 * costs grows with how often that is, and not with how many tasks there are.
 */
export function createNoSuccess(db: Database) {
  const due = createDueHeap<Watched>();
  let watched = new Map<string, Watched>();
  /** Those that have not. */
  const open = new Map<string, AlertFinding>();
  let missing: AlertFinding[] = [];
  let listed: { atMs: number; rules: readonly AlertRule[]; fingerprint: string } | undefined;

  /** False: neither rules nor tasks have changed since the last time. */
  async function list(all: readonly AlertRule[], rules: readonly NoSuccessRule[], nowMs: number): Promise<boolean> {
    if (listed && listed.rules === all && nowMs - listed.atMs < LIST_MS) return false;
    const fingerprint = await tasksFingerprint(db);
    const isSame = listed?.rules === all && listed.fingerprint === fingerprint;
    listed = { atMs: nowMs, rules: all, fingerprint };
    if (isSame) return false;
    const tasks = await tasksForAlerts(db);
    const before = watched;
    watched = new Map();
    due.clear();
    for (const task of tasks)
      for (const rule of countingRules(rules, task, NO_SUCCESS).filter(isNoSuccess)) {
        const key = keyOf({ task, rule });
        const known = before.get(key);
        const each = { task, rule, dueMs: known && sameSpan(known.rule, rule) ? known.dueMs : nowMs };
        watched.set(key, each);
        due.push(each.dueMs, each);
      }
    for (const key of open.keys()) if (!watched.has(key)) open.delete(key);
    missing = missingTasks(rules, tasks, nowMs);
    return true;
  }

  async function lookUp(some: readonly Watched[], againMs: number): Promise<void> {
    const ids = some.map(({ task }) => task.id);
    const byId = new Map((await lastSuccesses(db, ids)).map((each) => [each.taskId, each]));
    for (const each of some) {
      const success = byId.get(each.task.id);
      if (!success) continue;
      const finding = judge(each, success);
      if (finding) open.set(keyOf(each), finding);
      else open.delete(keyOf(each));
      each.dueMs = finding ? success.now.getTime() + againMs : spanOf(each.rule, success).untilMs;
      due.push(each.dueMs, each);
    }
  }

  return async (all: readonly AlertRule[], now: Date): Promise<void> => {
    const rules = all.filter(isNoSuccess);
    if (rules.length === 0) return;
    const nowMs = now.getTime();
    let looked = await list(all, rules, nowMs);
    const againMs = AGAIN_MS * Math.max(1, Math.ceil(open.size / PAGE));
    for (let page = takeDue(due, nowMs); page.length > 0; page = takeDue(due, nowMs)) {
      looked = true;
      await lookUp(page, againMs);
    }
    if (!looked) return;
    const names = rules.map(({ name }) => name);
    await settleAlerts(db, names, [...open.values(), ...missing]);
  };
}

function takeDue(due: DueHeap<Watched>, nowMs: number): Watched[] {
  const taken: Watched[] = [];
  for (let next = due.popDue(nowMs); next; next = due.popDue(nowMs)) {
    taken.push(next);
    if (taken.length === PAGE) break;
  }
  return taken;
}

function missingTasks(rules: readonly NoSuccessRule[], tasks: readonly TaskForAlert[], nowMs: number): AlertFinding[] {
  const names = new Set(tasks.map(({ name }) => name));
  return rules.flatMap((rule) => {
    const { task } = rule.on;
    if (!rule.enabled || task === undefined || names.has(task)) return [];
    const summary = `${task} cannot succeed: there is no such task`;
    return [ofMissingTask(rule, task, { summary, since: new Date(nowMs) })];
  });
}

function isNoSuccess(rule: AlertRule): rule is NoSuccessRule {
  return rule.when.kind === 'no-success';
}

function sameSpan(one: NoSuccessRule, other: NoSuccessRule): boolean {
  return one.when.forMs === other.when.forMs;
}

function spanOf({ when }: NoSuccessRule, { at, createdAt }: LastSuccess): { since: Date; untilMs: number } {
  const since = at ?? createdAt;
  return { since, untilMs: since.getTime() + when.forMs };
}

/** Undefined: its last success is young enough. */
function judge({ task, rule }: Watched, success: LastSuccess): AlertFinding | undefined {
  const { since, untilMs } = spanOf(rule, success);
  if (untilMs > success.now.getTime()) return undefined;
  const { at } = success;
  const what = at ? `its last success was at ${at.toISOString()}` : 'no run of it that is kept has succeeded';
  const summary = `${task.name} has not succeeded for ${formatSpan(rule.when.forMs)}`;
  return ofTask(rule, task, { summary, since, why: [what] });
}
