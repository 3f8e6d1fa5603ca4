import { EscapementError } from '@escapement/core';
import {
  type Alerting,
  type AlertRule,
  alertingSpec,
  CONDITION_KINDS,
  RULE_LEVELS,
  SEVERITIES,
} from '@escapement/core/alerts';
import {
  acknowledgeAlert as acknowledge,
  alertingInForce,
  explainAlerts,
  labelsSeen,
  maskedAlerting,
  saveAlerting as save,
  testReceiver as sendTest,
  silenceAlerts as silence,
  unknownAlert,
  unsilenceAlerts as unsilence,
} from '@escapement/operations';
import {
  listDeliveries as deliveries,
  findAlert,
  findDelivery,
  listAlerts as list,
  listSilences as silences,
} from '@escapement/store';
import { z } from 'zod';
import { cursorOf, placeOf } from '../../http/cursor.ts';
import { route } from '../../http/route.ts';
import { afterIn, at, bigNumber, countIn, instantIn, labelIn, ms, pageOf, reasonIn } from '../../schemas/values.ts';
import { nameOf, taskParams, theTask } from '../tasks/task-of.ts';
import { refuseOtherVersion, wantedVersion } from '../tasks/wanted-version.ts';

const destination = z
  .object({ receiver: z.string(), group: z.string(), groupWaitMs: ms, groupIntervalMs: ms, repeatMs: ms })
  .meta({ id: 'Destination' });

const alert = z
  .object({
    id: bigNumber,
    rule: z.string(),
    kind: z.string(),
    severity: z.enum(SEVERITIES),
    taskName: z.string().nullable(),
    labels: z.record(z.string(), z.string()),
    state: z.enum(['pending', 'firing', 'resolved']),
    summary: z.string(),
    why: z.array(z.string()),
    runs: z.array(z.object({ id: z.string(), scheduledFor: z.string() })),
    seen: z.int(),
    since: at,
    firedAt: at.nullable(),
    acknowledgedAt: at.nullable(),
    acknowledgedBy: z.string().nullable(),
    note: z.string().nullable(),
    resolvedAt: at.nullable(),
    resolvedWhy: z.string().nullable(),
    muted: z.string().nullable().meta({ description: 'Why nobody is told of it for now.' }),
    notified: z.array(destination),
  })
  .meta({ id: 'Alert' });

const shows = { tag: 'alerts', audit: null } as const;
const actions = { tag: 'alerts', right: 'pause', on: 'action' } as const;
const ofAlert = { params: z.object({ id: z.string().regex(/^\d{1,18}$/) }), missing: ['unknown_alert'] } as const;

/** Where a page begins: before the item of this id. */
const place = z.object({ before: z.string().regex(/^\d{1,18}$/) });

function placeIn(after: string | undefined): bigint | undefined {
  return after === undefined ? undefined : BigInt(placeOf(place, after).before);
}

function pageBehind<Item extends { id: bigint }>(limit: number, items: Item[]): { items: Item[]; next: string | null } {
  const last = items.length === limit ? items.at(-1) : undefined;
  return { items, next: last ? cursorOf({ before: String(last.id) }) : null };
}

export const listAlerts = route({
  ...shows,
  id: 'listAlerts',
  method: 'GET',
  path: '/v1/alerts',
  summary: 'What is wrong now, the latest first.',
  right: 'read',
  on: ({ query: { task } }) => (task === undefined ? ('some' as const) : { task }),
  query: z.strictObject({
    all: z.enum(['true', 'false']).default('false').meta({ description: 'Also what was wrong in the last 90 days.' }),
    task: z.string().min(1).max(200).optional().meta({ description: 'Only of the task of this name.' }),
    kind: z.enum(CONDITION_KINDS).optional().meta({ description: 'Only those of such a condition.' }),
    label: labelIn,
    after: afterIn,
    limit: countIn(1, 1000, 100),
  }),
  answer: pageOf(alert).meta({ id: 'Alerts' }),
  handle: async ({ db, by, query: { all, task, kind, label, after, limit } }) => {
    const states = all === 'true' ? (['pending', 'firing', 'resolved'] as const) : undefined;
    const asked = { states, taskName: task, kind, labels: labelsSeen(db, by(), label), limit };
    return pageBehind(limit, await list(db, { ...asked, before: placeIn(after) }));
  },
});

export const getAlert = route({
  ...shows,
  ...ofAlert,
  id: 'getAlert',
  method: 'GET',
  path: '/v1/alerts/:id',
  summary: 'An alert.',
  right: 'read',
  on: () => 'some' as const,
  answer: alert,
  handle: async ({ db, by, params }) => {
    const id = BigInt(params.id);
    const found = await findAlert(db, id, labelsSeen(db, by()));
    if (!found) throw unknownAlert(id);
    return found;
  },
});

export const acknowledgeAlert = route({
  ...actions,
  ...ofAlert,
  id: 'acknowledgeAlert',
  method: 'POST',
  path: '/v1/alerts/:id/acknowledge',
  summary: 'Say that somebody looks after it: it is not told again until it is over.',
  audit: 'acknowledge',
  body: z.strictObject({ reason: reasonIn }),
  answer: z.object({ id: z.string() }).meta({ id: 'AlertAcknowledged' }),
  handle: async ({ db, by, params, body }) => {
    await acknowledge(db, BigInt(params.id), by(body.reason));
    return params;
  },
});

const silenced = z
  .object({ id: bigNumber, match: z.string(), untilAt: at, note: z.string(), createdBy: z.string(), createdAt: at })
  .meta({ id: 'Silence' });

export const listSilences = route({
  ...shows,
  id: 'listSilences',
  method: 'GET',
  path: '/v1/silences',
  summary: 'Alerts that nobody is told of for now.',
  right: 'read',
  on: () => null,
  answer: z.object({ items: z.array(silenced) }).meta({ id: 'Silences' }),
  handle: async ({ db }) => ({ items: await silences(db) }),
});

export const silenceAlerts = route({
  ...actions,
  id: 'silenceAlerts',
  method: 'POST',
  path: '/v1/silences',
  summary: 'Tell nobody of alerts that match, until an instant.',
  audit: 'silence',
  body: z.strictObject({
    match: z.string().min(1).max(1000).meta({ description: 'As in `rule=failed,team=shop`.' }),
    untilAt: instantIn,
    reason: z.string().min(1).max(1000),
  }),
  status: 201,
  answer: z
    .object({
      id: bigNumber,
      warnings: z
        .array(z.string())
        .meta({ description: 'Why it keeps nothing quiet as things are. None: some alert can match.' }),
    })
    .meta({ id: 'Silenced' }),
  handle: async ({ db, by, body: { match, untilAt, reason } }) => await silence(db, match, untilAt, by(reason)),
});

export const unsilenceAlerts = route({
  ...actions,
  id: 'unsilenceAlerts',
  method: 'DELETE',
  path: '/v1/silences/:id',
  summary: 'End a silence.',
  audit: 'unsilence',
  params: ofAlert.params,
  missing: ['unknown_silence'],
  query: z.strictObject({ reason: reasonIn }),
  answer: z.object({ id: z.string() }).meta({ id: 'Unsilenced' }),
  handle: async ({ db, by, params, query }) => {
    await unsilence(db, BigInt(params.id), by(query.reason));
    return params;
  },
});

const document = alertingSpec.meta({ id: 'AlertingDocument' });
const inForce = z
  .object({
    version: z.int().meta({ description: '0: these are the defaults.' }),
    definition: z.record(z.string(), z.unknown()) as z.ZodType as z.ZodType<Alerting>,
  })
  .meta({ id: 'Alerting' });

const rules = z.array(z.unknown()) as z.ZodType as z.ZodType<readonly AlertRule[]>;

export const getAlertRules = route({
  ...shows,
  id: 'getAlertRules',
  method: 'GET',
  path: '/v1/alert-rules',
  summary: 'Rules, routes and receivers in force, without the paths of URLs: those are often secrets.',
  right: 'read',
  on: () => null,
  answer: inForce,
  handle: async ({ db }) => {
    const { version, definition } = await alertingInForce(db);
    return { version, definition: maskedAlerting(definition) };
  },
});

export const getAlerting = route({
  ...shows,
  id: 'getAlerting',
  method: 'GET',
  path: '/v1/alerting',
  summary: 'The document of alerts in force, as it is saved.',
  right: 'edit',
  on: () => null,
  answer: inForce,
  handle: async ({ db }) => await alertingInForce(db),
});

export const saveAlerting = route({
  ...actions,
  id: 'saveAlerting',
  method: 'PUT',
  path: '/v1/alerting',
  summary: 'Save rules, routes and receivers in the place of those in force. They count a few seconds later.',
  headers: { 'If-Match': 'Replace this version only, else 412: `version` of the document in force, as `"3"`.' },
  right: 'edit',
  audit: 'save',
  query: z.strictObject({ reason: reasonIn }),
  body: document,
  answer: z
    .object({
      kind: z.enum(['created', 'updated', 'unchanged']),
      version: z.int(),
      warnings: z.array(z.string()).meta({ description: 'What is likely a mistake, though it is allowed.' }),
    })
    .meta({ id: 'AlertingSaved' }),
  handle: async (asked) => {
    const { db, by, query, body } = asked;
    const wanted = wantedVersion(asked);
    return await save(db, body, by(query.reason), (version) =>
      refuseOtherVersion(wanted, { version, what: 'the alerts have' }),
    );
  },
});

export const explainTaskAlerts = route({
  ...shows,
  id: 'explainTaskAlerts',
  method: 'GET',
  path: '/v1/tasks/:id/alerts',
  summary: 'Which rules count for a task, and who would be told now.',
  params: taskParams,
  missing: ['unknown_task'],
  right: 'read',
  on: theTask,
  answer: z
    .object({
      task: z.string(),
      version: z.int(),
      rules: z.array(z.object({ kind: z.string(), level: z.enum(RULE_LEVELS), rules, overruled: rules })),
      destinations: z.array(z.object({ rule: z.string(), to: z.array(destination) })),
      silences: z.array(silenced),
    })
    .meta({ id: 'AlertsExplained' }),
  handle: async (asked) => {
    const { db, clock, defaults } = asked;
    return await explainAlerts(db, await nameOf(asked), { defaults, now: clock.now() });
  },
});

const delivery = z
  .object({
    id: bigNumber,
    receiver: z.string(),
    state: z.enum(['pending', 'sent', 'dropped']),
    tries: z.int(),
    alerts: z.array(bigNumber),
    error: z.string().nullable(),
    text: z.string().nullable(),
    createdAt: at,
    endedAt: at.nullable(),
    tryAt: at.nullable(),
  })
  .meta({ id: 'Delivery' });

export const listDeliveries = route({
  ...shows,
  id: 'listDeliveries',
  method: 'GET',
  path: '/v1/deliveries',
  summary: 'Messages about alerts, and what became of each; those to `inbox` are only kept.',
  right: 'read-payload',
  on: () => null,
  query: z.strictObject({ receiver: z.string().max(250).optional(), after: afterIn, limit: countIn(1, 1000, 50) }),
  answer: pageOf(delivery).meta({ id: 'Deliveries' }),
  handle: async ({ db, query: { receiver, after, limit } }) =>
    pageBehind(limit, await deliveries(db, { receiver, limit, before: placeIn(after) })),
});

export const getDelivery = route({
  ...shows,
  id: 'getDelivery',
  method: 'GET',
  path: '/v1/deliveries/:id',
  summary: 'A message about alerts, or a test of a receiver.',
  params: ofAlert.params,
  missing: ['unknown_delivery'],
  right: 'read-payload',
  on: () => null,
  answer: delivery,
  handle: async ({ db, params }) => {
    const found = await findDelivery(db, BigInt(params.id));
    if (found) return found;
    throw new EscapementError('unknown_delivery', `there is no delivery ${params.id}`);
  },
});

export const testReceiver = route({
  ...actions,
  id: 'testReceiver',
  method: 'POST',
  path: '/v1/receivers/:name/test',
  summary: 'Have a scheduler send a test. `GET /v1/deliveries/ID` says what became of it.',
  right: 'edit',
  audit: 'test-receiver',
  params: z.object({ name: z.string().min(1).max(250) }),
  missing: ['unknown_receiver'],
  body: z.strictObject({ reason: reasonIn }),
  status: 202,
  answer: z.object({ id: bigNumber }).meta({ id: 'ReceiverTested' }),
  handle: async ({ db, by, params, body, header }) => {
    const id = await sendTest(db, params.name, by(body.reason));
    header('location', `/v1/deliveries/${id}`);
    return { id };
  },
});
