import {
  type AlertRule,
  formatSpan,
  type HeartbeatTrouble,
  heartbeatTroubles,
  KINDS_OF_HEARTBEATS,
  rulesForHeartbeat,
} from '@escapement/core';
import {
  type AlertFinding,
  type Database,
  readEach,
  settleAlerts,
  type TroubledHeartbeat,
  troubledHeartbeats,
} from '@escapement/store';
import { ofHeartbeat } from './finding.ts';

/** Lines of what a failed job has sent that are told. */
const TOLD_LINES = 10;

/** Judges jobs that run elsewhere by the rules for them. Those that are well are not read; what was told of them ends. */
export async function judgeHeartbeats(db: Database, rules: readonly AlertRule[], now: Date): Promise<void> {
  const own = rules.filter(({ when }) => KINDS_OF_HEARTBEATS.has(when.kind));
  if (own.length === 0) return;
  const troubled = await troubledHeartbeats(db, now);
  await settleAlerts(
    db,
    own.map(({ name }) => name),
    readEach(troubled, (heartbeat) => findingsOf(own, heartbeat, now)).flat(),
  );
}

function findingsOf(rules: readonly AlertRule[], heartbeat: TroubledHeartbeat, now: Date): AlertFinding[] {
  const { name, spec } = heartbeat;
  const counting = rulesForHeartbeat(rules, { name, labels: spec.labels });
  return heartbeatTroubles(heartbeat, now).flatMap((trouble) =>
    counting
      .filter(({ kind }) => kind === `heartbeat-${trouble.kind}`)
      .flatMap(({ rules: ofKind }) =>
        ofKind.map((rule) =>
          ofHeartbeat(rule, heartbeat, {
            summary: `${name} ${summaryOf(trouble, heartbeat)}`,
            since: trouble.since,
            why: whyOf(trouble, heartbeat),
          }),
        ),
      ),
  );
}

function summaryOf({ kind }: HeartbeatTrouble, { spec, standing }: TroubledHeartbeat): string {
  const { graceMs, maxRunMs = graceMs } = spec;
  switch (kind) {
    case 'missed':
      return `has not pinged: it was due more than ${formatSpan(graceMs)} ago`;
    case 'slow':
      return `has begun, and not ended for more than ${formatSpan(maxRunMs)}`;
    case 'failed':
      return standing.exitStatus === null ? 'says that it failed' : `failed with exit status ${standing.exitStatus}`;
  }
}

function whyOf({ kind, unheard }: HeartbeatTrouble, { standing, lastWords }: TroubledHeartbeat): string[] {
  const { lastSuccessAt, lastPingAt } = standing;
  return [
    lastSuccessAt ? `its last success was at ${lastSuccessAt.toISOString()}` : 'it has never succeeded',
    ...(kind === 'missed' && lastPingAt ? [`its last ping came at ${lastPingAt.toISOString()}`] : []),
    ...(unheard
      ? [
          `no API took pings from ${unheard.from.toISOString()} to ${unheard.until.toISOString()}: what came then is lost; none has come since`,
        ]
      : []),
    ...(kind === 'failed' && lastWords !== null ? lastWords.trimEnd().split('\n').slice(-TOLD_LINES) : []),
  ];
}
