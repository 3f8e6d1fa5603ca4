import { type By, EscapementError, nearest } from '@escapement/core';
import {
  type Alerting,
  type AlertRoute,
  alertLabels,
  type ConditionKind,
  calendarsOfRoutes,
  DEFAULT_ALERTING,
  type DefaultReceivers,
  type Destination,
  destinationsOf,
  INBOX,
  parseMatch,
  type RulesOfKind,
  routesOutside,
  rulesFor,
} from '@escapement/core/alerts';
import { matchesSelector } from '@escapement/core/rights';
import { parseCalendar } from '@escapement/core/schedule';
import {
  acknowledgeAlert as acknowledge,
  type Database,
  type FailingReceiver,
  findAlert,
  listCalendars,
  listSilences,
  queueTestDelivery,
  readAlerting,
  failingReceivers as receiversThatFail,
  recordAudit,
  type Silence,
  silenceAlerts as silence,
  unsilenceAlerts as unsilence,
} from '@escapement/store';
import { needsReason } from '../needs-reason.ts';
import { permitInNamespace, permitOnTask } from '../rights/permit.ts';
import { checkEnd } from '../tasks/pause-task.ts';
import { requireTask } from '../tasks/require-task.ts';
import { silenceWarnings } from './alerting-warnings.ts';

/** The routes that no calendar closes at an instant. */
export async function openRoutes(db: Database, { routes }: Pick<Alerting, 'routes'>, at: Date): Promise<AlertRoute[]> {
  const names = calendarsOfRoutes(routes);
  if (names.length === 0) return routes;
  const stored = await listCalendars(db, names);
  const calendars = stored.map(({ name, definition }) => parseCalendar(name, definition));
  return routesOutside(routes, calendars, at);
}

export interface AlertingInForce {
  /** 0: nobody has saved one; these are the defaults. */
  version: number;
  definition: Alerting;
}

/** The document that counts. */
export async function alertingInForce(db: Database): Promise<AlertingInForce> {
  const stored = await readAlerting(db);
  return stored
    ? { version: stored.version, definition: stored.definition }
    : { version: 0, definition: DEFAULT_ALERTING };
}

/** Notes that somebody looks after an alert: it is not told again until it is over. Throws `unknown_alert`, `alert_not_firing`. */
export async function acknowledgeAlert(db: Database, id: bigint, by: By): Promise<void> {
  const alert = await findAlert(db, id);
  const entry = { action: 'acknowledge', subject: { alert: String(id) } };
  if (alert?.taskName) await permitOnTask(db, by, 'pause', { name: alert.taskName, ...entry });
  else await permitInNamespace(db, by, 'pause', { ...entry, what: `alert ${id}` });
  if (!alert) throw unknownAlert(id);
  if (await acknowledge(db, { id, by })) return;
  const now = await findAlert(db, id);
  const state = now?.acknowledgedBy ? `was acknowledged by ${now.acknowledgedBy}` : `is ${now?.state ?? 'gone'}`;
  throw new EscapementError('alert_not_firing', `alert ${id} ${state}`, { fix: 'see `escapement alerts list`' });
}

export function unknownAlert(id: bigint): EscapementError {
  return new EscapementError('unknown_alert', `there is no alert ${id}`, { fix: 'see `escapement alerts list --all`' });
}

/**
 * Nobody is told of alerts that match until an instant. Returns the number of the silence, and why it keeps nothing quiet as things are.
 * Throws `bad_match`, `bad_instant`, `no_reason`.
 */
export async function silenceAlerts(
  db: Database,
  match: string,
  untilAt: Date,
  by: By,
): Promise<{ id: bigint; warnings: string[] }> {
  const selector = parseMatch(match);
  await permitOnMatch(db, by, 'silence', selector.terms);
  needsReason(by, 'who looks for an alert is shown why it is silenced');
  await checkEnd(db, untilAt);
  const { definition } = await alertingInForce(db);
  const warnings = await silenceWarnings(db, selector, definition);
  return { id: await silence(db, { match: selector.text, untilAt, by }), warnings };
}

/** Ends a silence. Throws `unknown_silence`. */
export async function unsilenceAlerts(db: Database, id: bigint, by: By): Promise<void> {
  const found = (await listSilences(db)).find((each) => each.id === id);
  await permitOnMatch(db, by, 'unsilence', found ? parseMatch(found.match).terms : []);
  if (found && (await unsilence(db, { id, by }))) return;
  throw new EscapementError('unknown_silence', `no silence ${id} is in force`, {
    fix: 'see `escapement alerts silences`',
  });
}

/** Of the alerts of one task whoever may pause it; of any others whoever may pause all. */
async function permitOnMatch(
  db: Database,
  by: By,
  action: string,
  terms: ReturnType<typeof parseMatch>['terms'],
): Promise<void> {
  const [name, ...others] = terms.find(({ key }) => key === 'task')?.values ?? [];
  if (name !== undefined && others.length === 0) await permitOnTask(db, by, 'pause', { name, action });
  else {
    const subject = { namespace: db.namespace };
    await permitInNamespace(db, by, 'pause', { action, subject, what: `the alerts of the namespace ${db.namespace}` });
  }
}

export interface AlertsExplained {
  task: string;
  version: number;
  /** Of each kind of condition those that count, and the wider ones that do not. */
  rules: RulesOfKind[];
  /** Where an alert of each rule would go now. */
  destinations: { rule: string; to: Destination[] }[];
  silences: Silence[];
}

/** Which rules count for a task, and who would be told. Throws `unknown_task`. */
export async function explainAlerts(
  db: Database,
  name: string,
  { defaults, now }: { defaults: DefaultReceivers; now: Date },
): Promise<AlertsExplained> {
  const { definition } = await requireTask(db, name);
  const { version, definition: alerting } = await alertingInForce(db);
  const task = { name, labels: definition.labels ?? {}, pool: definition.pool };
  const rules = rulesFor(alerting.rules, task);
  const counting = rules.flatMap((each) => each.rules);
  const silences = (await listSilences(db)).filter(({ match }) =>
    counting.some((rule) => matchesSelector(parseMatch(match), alertLabels(rule, { task }))),
  );
  const open = { ...alerting, routes: await openRoutes(db, alerting, now) };
  const destinations = counting.map((rule) => ({
    rule: rule.name,
    to: destinationsOf(open, { labels: alertLabels(rule, { task }), notify: definition.notify ?? null }, defaults, now),
  }));
  return { task: name, version, rules, destinations, silences };
}

/** Has a scheduler send a test to a receiver. Returns the delivery that it is. Throws `unknown_receiver`. */
export async function testReceiver(db: Database, name: string, by: By): Promise<bigint> {
  const subject = { namespace: db.namespace };
  await permitInNamespace(db, by, 'edit', { action: 'test-receiver', subject, what: `receiver ${name}` });
  const { definition } = await alertingInForce(db);
  const names = [...Object.keys(definition.receivers), INBOX];
  if (names.includes(name)) {
    await recordAudit(db, subject, { action: 'test-receiver', detail: { receiver: name }, by });
    return await queueTestDelivery(db, name);
  }
  const near = nearest(name, names);
  throw new EscapementError('unknown_receiver', `there is no receiver ${name}`, {
    fix: near ? `did you mean ${near}?` : 'see `escapement alerts rules`',
  });
}

/** The receivers of a document whose last message failed: that of a test, too. It may be tried again still. */
export async function failingReceivers(
  db: Database,
  { receivers }: Pick<Alerting, 'receivers'>,
): Promise<FailingReceiver[]> {
  return await receiversThatFail(db, Object.keys(receivers));
}

/** Conditions of which nobody is told any more, though the defaults have a rule for them. One that is switched off is meant. */
export function kindsWithoutRule({ rules }: Pick<Alerting, 'rules'>): ConditionKind[] {
  const kinds = new Set(rules.map(({ when }) => when.kind));
  return DEFAULT_ALERTING.rules.map(({ when }) => when.kind).filter((kind) => !kinds.has(kind));
}
