import { SECOND } from '@escapement/core';
import { type AlertRule, type ConditionKind, countingRules } from '@escapement/core/alerts';
import { createDueHeap, type DueHeap } from '@escapement/queue';
import {
  type AlertFinding,
  type Database,
  type LastOfTask,
  namedTasksFingerprint,
  settleAlerts,
  type TaskForAlert,
  tasksFingerprint,
  tasksForAlerts,
} from '@escapement/store';
import { ofMissingTask, ofTask, type Said } from './finding.ts';

/** How often it is looked whether the tasks are still the same. */
const LIST_MS = 30 * SECOND;
/** The same of those that a rule names: whether they are there may be all that is to be told. */
const NAMED_MS = 2.5 * SECOND;
/** Tasks that are looked up in one statement. */
const PAGE = 500;
/** A task of which an alert is open is looked at so often; where they are many, less often. */
const AGAIN_MS = 2 * SECOND;

/** A condition of tasks that comes true when time passes, and nothing happens. */
export interface InTime {
  kind: ConditionKind;
  /** What a task does not do that is not there. */
  verb: string;
  /** When it last happened to tasks. */
  read: (db: Database, taskIds: readonly string[]) => Promise<LastOfTask[]>;
  /** Whether it is so; else when it may be so at the earliest, in milliseconds since the epoch. */
  judge: (rule: AlertRule, task: TaskForAlert, last: LastOfTask) => { said: Said } | { untilMs: number };
}

interface Watched {
  task: TaskForAlert;
  rule: AlertRule;
  /** When it is looked up next, on the clock of Postgres. */
  dueMs: number;
}

const keyOf = ({ task, rule }: Pick<Watched, 'task' | 'rule'>) => `${rule.name}/${task.id}`;

/**
 * Judges such a condition. Each task is looked up when it may have come true, not before: what that costs grows with how often that is, and
 * not with how many tasks there are.
 */
export function createInTime(db: Database, condition: InTime) {
  const kinds = new Set([condition.kind]);
  const due = createDueHeap<Watched>();
  let watched = new Map<string, Watched>();
  /** Those of which it is so. */
  const open = new Map<string, AlertFinding>();
  let missing: AlertFinding[] = [];
  let listed: { atMs: number; rules: readonly AlertRule[]; fingerprint: string; named: string } | undefined;
  const namedNow = createNamed(db);

  /** False: neither rules nor tasks have changed since the last time. */
  async function list(all: readonly AlertRule[], rules: readonly AlertRule[], nowMs: number): Promise<boolean> {
    const named = await namedNow(rules, nowMs);
    if (listed && listed.rules === all && listed.named === named && nowMs - listed.atMs < LIST_MS) return false;
    const fingerprint = await tasksFingerprint(db);
    const isSame = listed?.rules === all && listed.fingerprint === fingerprint;
    listed = { atMs: nowMs, rules: all, fingerprint, named };
    if (isSame) return false;
    const tasks = await tasksForAlerts(db);
    const before = watched;
    watched = new Map();
    due.clear();
    for (const task of tasks.filter(({ isShadow }) => !isShadow))
      for (const rule of countingRules(rules, task, kinds)) {
        const key = keyOf({ task, rule });
        const known = before.get(key);
        const each = { task, rule, dueMs: known && isSameCondition(known.rule, rule) ? known.dueMs : nowMs };
        watched.set(key, each);
        due.push(each.dueMs, each);
      }
    for (const key of open.keys()) if (!watched.has(key)) open.delete(key);
    missing = missingTasks(rules, tasks, { verb: condition.verb, nowMs });
    return true;
  }

  async function lookUp(some: readonly Watched[], againMs: number): Promise<void> {
    const ids = some.map(({ task }) => task.id);
    const byId = new Map((await condition.read(db, ids)).map((each) => [each.taskId, each]));
    for (const each of some) {
      const last = byId.get(each.task.id);
      if (!last) continue;
      const verdict = condition.judge(each.rule, each.task, last);
      if ('said' in verdict) {
        open.set(keyOf(each), ofTask(each.rule, each.task, verdict.said));
        each.dueMs = last.now.getTime() + againMs;
      } else {
        open.delete(keyOf(each));
        each.dueMs = verdict.untilMs;
      }
      due.push(each.dueMs, each);
    }
  }

  return async (all: readonly AlertRule[], now: Date): Promise<void> => {
    const rules = all.filter(({ when }) => when.kind === condition.kind);
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

/** Which of the tasks that rules name are there: a fingerprint. */
function createNamed(db: Database): (rules: readonly AlertRule[], nowMs: number) => Promise<string> {
  let known = { atMs: Number.NEGATIVE_INFINITY, names: '', fingerprint: '' };
  return async (rules, nowMs) => {
    const names = rules.flatMap(({ on }) => (on.task === undefined ? [] : [on.task]));
    const key = names.join('\n');
    if (names.length === 0) return '';
    if (known.names === key && nowMs - known.atMs < NAMED_MS) return known.fingerprint;
    known = { atMs: nowMs, names: key, fingerprint: await namedTasksFingerprint(db, names) };
    return known.fingerprint;
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

function isSameCondition(one: AlertRule, other: AlertRule): boolean {
  return JSON.stringify(one.when) === JSON.stringify(other.when);
}

/** Tasks that a rule names, and that are not there. */
function missingTasks(
  rules: readonly AlertRule[],
  tasks: readonly TaskForAlert[],
  { verb, nowMs }: { verb: string; nowMs: number },
): AlertFinding[] {
  const names = new Set(tasks.map(({ name }) => name));
  return rules.flatMap((rule) => {
    const { task } = rule.on;
    if (!rule.enabled || task === undefined || names.has(task)) return [];
    const summary = `${task} cannot ${verb}: there is no such task`;
    return [ofMissingTask(rule, task, { summary, since: new Date(nowMs) })];
  });
}
