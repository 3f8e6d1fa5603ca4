import { groupedBy } from '@escapement/core';
import {
  type AlertRule,
  type ConditionKind,
  type ConditionOf,
  countingRules,
  KINDS_OF_ENDS,
} from '@escapement/core/alerts';
import {
  type AlertFact,
  type AlertFinding,
  type Database,
  type EndedForAlert,
  type FirstFailure,
  firstFailures,
  type LatestEnd,
  latestEnds,
  openAlerts,
  openAlertsOf,
  readAlertFacts,
  resolveAlerts,
  type TurnOfTask,
} from '@escapement/store';
import { ofFleet, ofTask } from './finding.ts';

/** Facts and open alerts in one statement. */
const PAGE = 500;

const FAILING: ReadonlySet<ConditionKind> = new Set(['failed']);
export const FAILED: readonly string[] = ['failed', 'timed_out', 'quarantined'];

/** Judges what failed or was missed since the last look, and what the verification of the ledger has found. True: there may be more. */
export async function judgeFacts(db: Database, rules: readonly AlertRule[]): Promise<boolean> {
  const facts = await readAlertFacts(db, PAGE);
  if (facts.length === 0) return false;
  // The latest says how it is now.
  const verified = facts.findLast(({ kind }) => kind === 'ledger');
  const findings = [...(await findingsOfRuns(db, rules, facts)), ...findingsOfLedger(rules, verified)];
  await openAlerts(db, findings, { facts: facts.map(({ id }) => id) });
  if (verified?.gaps === null) await resolveLedger(db);
  return facts.length === PAGE;
}

async function findingsOfRuns(db: Database, rules: readonly AlertRule[], facts: readonly AlertFact[]) {
  const byTask = groupedBy(
    facts.flatMap(({ run }) => run ?? []),
    ({ task }) => task.id,
  );
  const tasks = [...byTask].map(([id, [run]]) => ({
    id,
    wanted: run ? wantedBy(countingRules(rules, run.task, FAILING)) : 1,
  }));
  const ends = await latestEnds(db, tasks);
  const first = await firstFailures(db, [...ends].flatMap(turnOf));
  return [...byTask].flatMap(([id, runs]) =>
    findingsOfTask(rules, runs, { ends: ends.get(id) ?? [], first: first.get(id) }),
  );
}

/** How many ends the rules have to know. */
function wantedBy(rules: readonly AlertRule[]): number {
  return Math.max(1, ...rules.map(({ when }) => (when.kind === 'failed' ? (when.of?.runs ?? when.inARow ?? 1) : 1)));
}

/** None: the task has not failed since its last success, or that is not among its ends. */
function turnOf([taskId, ends]: [string, readonly LatestEnd[]]): TurnOfTask[] {
  const last = ends.findIndex(({ state }) => state === 'succeeded');
  const [succeeded, failed] = [ends[last], ends[last - 1]];
  return succeeded && failed ? [{ taskId, succeeded, failed }] : [];
}

/** A task as it is now. */
interface Lately {
  ends: readonly LatestEnd[];
  first: FirstFailure | undefined;
}

/** One for each rule, told by the runs of the facts, and the ends of the task as they are now. */
function findingsOfTask(
  rules: readonly AlertRule[],
  runs: readonly EndedForAlert[],
  { ends, first }: Lately,
): AlertFinding[] {
  const latest = runs.toSorted((a, b) => b.finishedAt.getTime() - a.finishedAt.getTime());
  const task = latest[0]?.task;
  if (!task) return [];
  return countingRules(rules, task, KINDS_OF_ENDS).flatMap((rule) => {
    const ended = latest.filter(({ state }) => isOf(rule, state));
    const [last] = ended;
    if (!last) return [];
    const words = wordsOf(rule, ended, ends);
    return words === null
      ? []
      : [
          ofTask(rule, task, {
            summary: `${task.name} ${words}`,
            since: ended.at(-1)?.finishedAt ?? last.finishedAt,
            why: [...whyOf(last), ...(rule.when.kind === 'missed' ? [] : firstWords(first))],
            runs: ended,
          }),
        ];
  });
}

function isOf({ when }: AlertRule, state: string): boolean {
  switch (when.kind) {
    case 'failed':
      return FAILED.includes(state);
    case 'quarantined':
      return state === 'quarantined';
    case 'missed':
      return state === 'missed';
    default:
      return false;
  }
}

const STATE_WORDS: Readonly<Record<string, string>> = { timed_out: 'ran out of time', quarantined: 'was quarantined' };

/** Null: the rule is not met. */
function wordsOf({ when }: AlertRule, ended: readonly EndedForAlert[], ends: readonly LatestEnd[]): string | null {
  switch (when.kind) {
    case 'failed':
      return failedWords(when, ended, ends);
    case 'quarantined':
      return 'was quarantined: it lost its worker too often';
    case 'missed': {
      const missed = ended.reduce((sum, { occurrences }) => sum + occurrences, 0);
      return missed === 1 ? 'was missed' : `was missed ${missed} times`;
    }
    default:
      return null;
  }
}

function failedWords(
  { inARow = 1, of }: ConditionOf<'failed'>,
  ended: readonly EndedForAlert[],
  ends: readonly LatestEnd[],
): string | null {
  if (of) {
    const among = ends.slice(0, of.runs);
    const failures = among.filter(({ state }) => FAILED.includes(state)).length;
    return failures >= of.failures ? `failed in ${failures} of its last ${among.length} runs` : null;
  }
  const row = ends.findIndex(({ state }) => !FAILED.includes(state));
  const inRow = row === -1 ? ends.length : row;
  if (inARow === 1)
    return inRow > 1 ? `failed ${inRow} times in a row` : (STATE_WORDS[ended[0]?.state ?? ''] ?? 'failed');
  return inRow >= inARow ? `failed ${inRow} times in a row` : null;
}

function whyOf({ reason, error, release, pausedTask, task }: EndedForAlert): string[] {
  return [
    ...(reason === null ? [] : [reason]),
    ...(error === null || error === reason ? [] : [error]),
    ...(release === null ? [] : [`the release of its code: ${release}`]),
    ...(pausedTask === null
      ? []
      : [
          `the task is paused, and nothing of its schedule runs until \`escapement tasks resume ${task.name}\`: ${pausedTask}`,
        ]),
  ];
}

/** What changed between the last success and the first failure. */
function firstWords(first: FirstFailure | undefined): string[] {
  if (!first) return [];
  const { failed, succeeded } = first;
  const at = succeeded.finishedAt.toISOString();
  const isNewRelease = failed.release !== null && succeeded.release !== null && failed.release !== succeeded.release;
  const saved =
    failed.savedBy === null ? '' : `, saved by ${failed.savedBy} at ${failed.savedAt?.toISOString() ?? '?'},`;
  return [
    ...(failed.version === succeeded.version
      ? []
      : [
          `version ${failed.version}${saved} was the first to fail; version ${succeeded.version} succeeded last, at ${at}`,
        ]),
    ...(isNewRelease
      ? [`the release ${failed.release} was the first to fail; ${succeeded.release} succeeded last, at ${at}`]
      : []),
  ];
}

function findingsOfLedger(rules: readonly AlertRule[], found: AlertFact | undefined): AlertFinding[] {
  if (!found?.gaps) return [];
  const { gaps, named } = found.gaps;
  const counting = rules.filter(({ when, enabled }) => enabled && when.kind === 'ledger-gap');
  const summary = `the ledger does not agree with the schedules in ${gaps === 1 ? 'one occurrence' : `${gaps} occurrences`}`;
  return counting.map((rule) => ofFleet(rule, { summary, since: found.at, why: named }));
}

async function resolveLedger(db: Database): Promise<void> {
  const open = await openAlertsOf(db, { kinds: ['ledger-gap'], after: 0n, limit: PAGE });
  await resolveAlerts(
    db,
    open.map(({ id }) => id),
  );
}
