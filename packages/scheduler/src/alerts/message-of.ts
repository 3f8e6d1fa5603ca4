import { formatSpan } from '@escapement/core';
import type { Alerting, AlertMessage, AlertNote, AlertSubject, ConditionKind } from '@escapement/core/alerts';
import type { Labels } from '@escapement/core/rights';
import { traceUrlOf } from '@escapement/core/traces';
import type { DeliveredAlert, PendingDelivery } from '@escapement/store';

export interface MessageParts {
  /** The ends of logs, by alert. */
  tails: ReadonlyMap<string, string>;
  /** Where a trace can be seen, with `{trace_id}`. Undefined: nobody has said. */
  traceUrl: string | undefined;
  /** Where the dashboard is. Undefined: nobody has said. */
  apiUrl: string | undefined;
}

/** The message of a delivery, from its alerts as they are now. */
export function messageOf(
  namespace: string,
  delivery: PendingDelivery,
  alerting: Alerting,
  { tails, traceUrl, apiUrl }: MessageParts,
): AlertMessage {
  const { id, receiver, group, repeated, alerts, more } = delivery;
  const notes = alerts.map((alert) =>
    noteOf(namespace, alert, alerting, { tail: tails.get(alert.id), traceUrl, apiUrl }),
  );
  // A message about no alert is a test.
  if (notes.length === 0) notes.push(testNote(namespace, delivery));
  const firing = notes.filter(({ state }) => state === 'firing');
  const over = notes.filter(({ state }) => state === 'resolved');
  return { id: `${namespace}-${id}`, namespace, receiver, group, notes: [...firing, ...over], more, repeated };
}

function noteOf(
  namespace: string,
  alert: DeliveredAlert,
  alerting: Alerting,
  { tail, traceUrl, apiUrl }: { tail: string | undefined } & Omit<MessageParts, 'tails'>,
): AlertNote {
  const { id, rule, severity, labels, state, summary, since, resolvedAt, runs } = alert;
  return {
    id: `${namespace}-${id}`,
    state,
    rule,
    severity,
    subject: subjectOf(labels),
    labels,
    summary,
    since,
    ...(resolvedAt ? { resolvedAt } : {}),
    why: whyOf(alert),
    runs: runs.map(({ id, state, scheduledFor, reason }) => ({
      ...{ id, state, scheduledFor },
      ...(reason === null ? {} : { reason }),
    })),
    ...(tail ? { logTail: tail } : {}),
    next: [...nextOf(alert, alerting), ...pageOf(alert, apiUrl), ...traceOf(alert, traceUrl)],
    silence: `escapement alerts silence ${silenceOf(labels)} --until 2h --reason "..."`,
  };
}

function testNote(namespace: string, { id, receiver, createdAt }: PendingDelivery): AlertNote {
  const summary = `This is a test of the receiver ${receiver}: nothing is wrong`;
  return {
    id: `${namespace}-test-${id}`,
    state: 'firing',
    rule: 'test',
    severity: 'info',
    subject: { fleet: true },
    labels: { rule: 'test', severity: 'info' },
    summary,
    since: createdAt,
    why: [],
    runs: [],
    next: [],
    silence: '',
  };
}

/** What has no task, pool or monitor of its own kind may have a label of that name: of a monitor its own is first. */
function subjectOf({ task, pool, monitor }: Labels): AlertSubject {
  if (monitor !== undefined) return { monitor };
  if (task !== undefined) return { task };
  return pool === undefined ? { fleet: true } : { pool };
}

function whyOf({ why, seen, resolvedAt, since }: DeliveredAlert): string[] {
  return [
    ...why,
    ...(seen > 1 ? [`seen ${seen} times since then`] : []),
    ...(resolvedAt ? [`it lasted ${formatSpan(resolvedAt.getTime() - since.getTime())}`] : []),
  ];
}

/** Its last run in the dashboard; what is about no run is in the list of alerts. */
function pageOf({ state, runs: [run] }: DeliveredAlert, apiUrl: string | undefined): string[] {
  if (state === 'resolved' || apiUrl === undefined) return [];
  return [`see it: ${new URL(run ? `/runs/${run.id}` : '/alerts', apiUrl).href}`];
}

/** Where the last run can be seen. */
function traceOf({ state, runs: [run] }: DeliveredAlert, traceUrl: string | undefined): string[] {
  if (state === 'resolved' || !run || traceUrl === undefined) return [];
  return [`its trace: ${traceUrlOf(traceUrl, run)}`];
}

/** What the rule's own note says comes first. */
function nextOf({ id, rule, kind, labels, state, runs }: DeliveredAlert, alerting: Alerting): string[] {
  if (state === 'resolved') return [];
  const note = alerting.rules.find(({ name }) => name === rule)?.note;
  const [run] = runs;
  return [...(note === undefined ? [] : [note]), ...stepsOf(kind, labels, run?.id), `escapement alerts ack ${id}`];
}

/** Commands that show more, and that mend it. */
function stepsOf(kind: ConditionKind, { task, pool, monitor }: Labels, run: string | undefined): string[] {
  const show = run === undefined ? [] : [`escapement runs show ${run}`];
  switch (kind) {
    case 'failed':
    case 'quarantined':
      return run === undefined ? show : [...show, `escapement runs rerun ${run}`];
    case 'unknown':
      return run === undefined ? show : [...show, `escapement runs resolve ${run} --as succeeded --reason "..."`];
    case 'held':
      return task === undefined ? show : [...show, `escapement recovery run --task ${task}`];
    case 'missed':
    case 'no-success':
    case 'not-started-by':
      return task === undefined ? show : [...show, `escapement runs list --task ${task}`];
    case 'late':
    case 'waiting':
    case 'slow':
    case 'silent':
    case 'suspicious':
      return show;
    case 'unplannable':
      return task === undefined ? [] : [`escapement tasks show ${task}`];
    case 'no-worker':
    case 'workers-missing':
    case 'worker-lost':
      return ['escapement workers list'];
    case 'overdue':
    case 'queue-blocked':
      return pool === undefined ? ['escapement doctor'] : [`escapement pools show ${pool}`, 'escapement doctor'];
    case 'ledger-gap':
      return ['escapement verify-ledger'];
    case 'monitor-missed':
    case 'monitor-failed':
    case 'monitor-slow':
      return [`escapement monitors show ${monitor}`];
    case 'api-away':
      return ['escapement monitors list'];
    case 'token-expires':
      return ['escapement tokens list'];
    default:
      return ['escapement doctor'];
  }
}

/** As narrow as it can be. */
function silenceOf(labels: Labels): string {
  const about = Object.entries(subjectOf(labels)).flatMap(([key, value]) =>
    key === 'fleet' ? [] : [`${key}=${value}`],
  );
  return [...about, `rule=${labels.rule}`].join(',');
}
