import { formatSpan } from '@escapement/core';
import { type AlertRule, KINDS_OF_MONITORS, rulesForMonitor } from '@escapement/core/alerts';
import { type MonitorTrouble, monitorTroubles } from '@escapement/core/monitors';
import {
  type AlertFinding,
  type Database,
  readEach,
  settleAlerts,
  type TroubledMonitor,
  troubledMonitors,
} from '@escapement/store';
import { ofMonitor } from './finding.ts';

/** Lines of what a failed job has sent that are told. */
const LOG_LINES = 10;

/** Judges jobs that run elsewhere by the rules for them. Those that are well are not read; what was told of them ends. */
export async function judgeMonitors(db: Database, rules: readonly AlertRule[], now: Date): Promise<void> {
  const own = rules.filter(({ when }) => KINDS_OF_MONITORS.has(when.kind));
  if (own.length === 0) return;
  const troubled = await troubledMonitors(db, now);
  await settleAlerts(
    db,
    own.map(({ name }) => name),
    readEach(troubled, (monitor) => findingsOf(own, monitor, now)).flat(),
  );
}

function findingsOf(rules: readonly AlertRule[], monitor: TroubledMonitor, now: Date): AlertFinding[] {
  const { name, spec } = monitor;
  const counting = rulesForMonitor(rules, { name, labels: spec.labels });
  return monitorTroubles(monitor, now).flatMap((trouble) =>
    counting
      .filter(({ kind }) => kind === `monitor-${trouble.kind}`)
      .flatMap(({ rules: ofKind }) =>
        ofKind.map((rule) =>
          ofMonitor(rule, monitor, {
            summary: `${name} ${summaryOf(trouble, monitor)}`,
            since: trouble.since,
            why: whyOf(trouble, monitor),
          }),
        ),
      ),
  );
}

function summaryOf({ kind }: MonitorTrouble, { spec, status }: TroubledMonitor): string {
  const { graceMs, maxRunMs = graceMs } = spec;
  switch (kind) {
    case 'missed':
      return `has not pinged: it was due more than ${formatSpan(graceMs)} ago`;
    case 'slow':
      return `has begun, and not ended for more than ${formatSpan(maxRunMs)}`;
    case 'failed':
      return status.exitStatus === null ? 'says that it failed' : `failed with exit status ${status.exitStatus}`;
  }
}

function whyOf({ kind, gap: unheard }: MonitorTrouble, { status, lastWords }: TroubledMonitor): string[] {
  const { lastSuccessAt, lastPingAt } = status;
  return [
    lastSuccessAt ? `its last success was at ${lastSuccessAt.toISOString()}` : 'it has never succeeded',
    ...(kind === 'missed' && lastPingAt ? [`its last ping came at ${lastPingAt.toISOString()}`] : []),
    ...(unheard
      ? [
          `no API took pings from ${unheard.from.toISOString()} to ${unheard.until.toISOString()}: what came then is lost; none has come since`,
        ]
      : []),
    ...(kind === 'failed' && lastWords !== null ? lastWords.trimEnd().split('\n').slice(-LOG_LINES) : []),
  ];
}
