import { formatSpan, groupedBy, SECOND } from '@escapement/core';
import { type AlertRule, type ConditionKind, type ConditionOf, countingRules } from '@escapement/core/alerts';
import {
  type AlertFinding,
  type Database,
  isConnectionError,
  lookAtSuccesses,
  openAlerts,
  openAlertsOf,
  resolveAlerts,
  type SucceededRun,
  type SuccessAnswer,
  type SuccessQuestion,
  successesSince,
  type UsualDuration,
  type Watch,
} from '@escapement/store';
import { ofTask } from './finding.ts';
import { usualOf } from './usual.ts';

const SUSPICIOUS: ReadonlySet<ConditionKind> = new Set(['suspicious']);
const PAGE = 1000;
/** An end may become visible so long after its time: its transaction was still open. */
const UNSEEN_MS = 5 * SECOND;

type SuspiciousRule = AlertRule & { when: ConditionOf<'suspicious'> };

interface Judged {
  run: SucceededRun;
  rule: SuspiciousRule;
  /** What is wrong with it; none: nothing. */
  wrong: string[];
}

export interface Successes {
  /** Judges what has succeeded since the last look: a page. True: there is more. */
  judge(rules: readonly AlertRule[], watch: Watch): Promise<boolean>;
  /** Whether the last look left some for the next. */
  isBehind(): boolean;
  /** Until when it has judged; null: it has not looked yet. */
  until(): Date | null;
}

/** What has ended of late is judged once more: its end may be seen late. What was marked before opens nothing. */
export function createSuccesses(db: Database): Successes {
  /** Runs that were judged, by id, with their ends. */
  let judged = new Map<string, number>();
  let until: Date | null = null;
  /** Where the next page of a look begins. */
  let place: { finishedAt: Date; id: string } | undefined;

  function lookedUntil(now: Date): void {
    until = now;
    place = undefined;
    const keptFrom = now.getTime() - 2 * UNSEEN_MS;
    judged = new Map([...judged].filter(([, at]) => at >= keptFrom));
  }

  return {
    isBehind: () => place !== undefined,
    until: () => until,
    async judge(all, watch) {
      const rules = all.filter(isSuspicious);
      // A rule that comes later does not judge what was before it.
      if (rules.length === 0) {
        lookedUntil(watch.now);
        return false;
      }
      const from = new Date((until ?? watch.endedUntil).getTime() - UNSEEN_MS);
      const runs = await successesSince(db, { after: place ?? { finishedAt: from }, limit: PAGE });
      const fresh = runs.filter(({ id }) => !judged.has(id));
      const errors = await judgeRuns(db, rules, fresh);
      for (const { id, finishedAt } of fresh) judged.set(id, finishedAt.getTime());
      const last = runs.at(-1);
      if (runs.length < PAGE || !last) lookedUntil(watch.now);
      else place = { finishedAt: last.finishedAt, id: last.id };
      // Said, and not tried for ever: what comes after it has to be judged, too.
      if (errors.length > 0) throw errors[0];
      return place !== undefined;
    },
  };
}

function isSuspicious(rule: AlertRule): rule is SuspiciousRule {
  return rule.when.kind === 'suspicious';
}

/** Returns what Postgres says of rules that it cannot evaluate. */
async function judgeRuns(
  db: Database,
  rules: readonly SuspiciousRule[],
  runs: readonly SucceededRun[],
): Promise<unknown[]> {
  const asked = runs.flatMap((run) =>
    countingRules(rules, run.task, SUSPICIOUS)
      .filter(isSuspicious)
      .map((rule) => ({ run, rule })),
  );
  if (asked.length === 0) return [];
  const { looked, errors } = await lookAt(db, asked);
  const compared = looked.filter(({ rule: { when } }) => when.underUsual !== undefined);
  const took = await usualOf(
    db,
    compared.map(({ run }) => run.task.id),
  );
  const judged = looked.map(({ run, rule, answer }) => ({
    ...{ run, rule },
    wrong: whatIsWrong(rule.when, run, answer, took.get(run.task.id)),
  }));
  const marks = judged
    .filter(({ wrong }) => wrong.length > 0)
    .map(({ run: { id, scheduledFor }, rule, wrong }) => ({
      ...{ id, scheduledFor },
      rule: rule.name,
      detail: wrong.join('; '),
    }));
  if (marks.length > 0) await openAlerts(db, suspicions(judged), { marks });
  await resolveClean(db, judged);
  return errors;
}

type Asked = Pick<Judged, 'run' | 'rule'>;

/** A rule that Postgres cannot evaluate (not each of its errors can be found when the rule is saved) keeps no other from being judged. */
async function lookAt(
  db: Database,
  asked: readonly Asked[],
): Promise<{ looked: (Asked & { answer: SuccessAnswer })[]; errors: unknown[] }> {
  try {
    const answers = await lookAtSuccesses(db, asked.map(questionOf));
    const looked = asked.flatMap((each, index) => (answers[index] ? [{ ...each, answer: answers[index] }] : []));
    return { looked, errors: [] };
  } catch (error) {
    if (isConnectionError(error)) throw error;
    const byRule = [...groupedBy(asked, ({ rule }) => rule.name).values()];
    if (byRule.length === 1) return { looked: [], errors: [error] };
    const parts = await Promise.all(byRule.map((each) => lookAt(db, each)));
    return { looked: parts.flatMap(({ looked }) => looked), errors: parts.flatMap(({ errors }) => errors) };
  }
}

function questionOf({ run: { id, scheduledFor }, rule: { when } }: Asked): SuccessQuestion {
  const { output = null, logHas = null, logLacks = null } = when;
  return { id, scheduledFor, output, logHas, logLacks };
}

function whatIsWrong(
  { underMs, underUsual, minLogBytes, output, logHas, logLacks }: ConditionOf<'suspicious'>,
  { tookMs }: SucceededRun,
  answer: SuccessAnswer,
  usual: UsualDuration | undefined,
): string[] {
  const took = `it took ${formatSpan(tookMs)}`;
  const isShort = underUsual !== undefined && usual && tookMs < underUsual * usual.p50Ms;
  return [
    ...(underMs !== undefined && tookMs < underMs ? [`${took}, less than ${formatSpan(underMs)}`] : []),
    ...(isShort ? [`${took}; usual are ${formatSpan(usual.p50Ms)}`] : []),
    ...(minLogBytes !== undefined && answer.logBytes < minLogBytes
      ? [`it wrote ${answer.logBytes} bytes of log, less than ${minLogBytes}`]
      : []),
    ...(answer.outputHolds === false ? [`its output does not meet ${output}`] : []),
    ...(answer.logHas === false ? [`its log does not match /${logHas}/`] : []),
    ...(answer.logLacks === false ? [`its log matches /${logLacks}/`] : []),
  ];
}

/** One for each rule and task, told by the last of them. */
function suspicions(judged: readonly Judged[]): AlertFinding[] {
  const found = new Map<string, AlertFinding>();
  for (const { run, rule, wrong } of judged) {
    if (wrong.length === 0) continue;
    const said = {
      summary: `${run.task.name} succeeded, and yet something is wrong with it`,
      since: run.finishedAt,
      why: wrong,
    };
    found.set(`${rule.name}/${run.task.id}`, ofTask(rule, run.task, { ...said, runs: [run] }));
  }
  return [...found.values()];
}

/** Where the last success of a task is a sound one, its alert is over. */
async function resolveClean(db: Database, judged: readonly Judged[]): Promise<void> {
  const last = new Map(judged.map((each) => [`${each.rule.name}/task:${each.run.task.id}`, each]));
  const clean = new Set([...last].filter(([, { wrong }]) => wrong.length === 0).map(([key]) => key));
  if (clean.size === 0) return;
  const open = await openAlertsOf(db, { kinds: ['suspicious'], after: 0n, limit: 10_000 });
  const over = open.filter(({ rule, subject }) => clean.has(`${rule}/${subject}`));
  await resolveAlerts(
    db,
    over.map(({ id }) => id),
  );
}
