import { createHash } from 'node:crypto';
import { maskUrlPath } from '../mask/mask-url.ts';
import { type Labels, matchesSelector } from '../rights/labels.ts';
import type { NotifyPolicy } from '../task.ts';
import { type Alerting, type AlertRoute, type AlertRule, alertingSpec } from './alerting.ts';
import { parseMatch } from './match.ts';
import type { ReceiverSpec } from './receiver.ts';
import { isOpen } from './route-hours.ts';

/** Where an alert goes. */
export interface Destination {
  /** A name of the document, or one for those whom tasks and settings name: `email:ADDRESS`, `webhookName(URL)`. */
  receiver: string;
  /** Alerts of a group are told together. */
  group: string;
  groupWaitMs: number;
  groupIntervalMs: number;
  repeatMs: number;
}

/** What decides where an alert goes. */
export interface RoutedAlert {
  labels: Labels;
  /** Of its task; null: it has none, or the task says nothing. */
  notify: NotifyPolicy | null;
}

/** Who hears of what no route and no task names anybody for. */
export interface DefaultReceivers {
  email: readonly string[];
  webhook: readonly string[];
}

/** Keeps what nobody else is told. */
export const INBOX = 'inbox';

/** What an alert is about: a task, a pool or a monitor; none of them: the fleet. A task that is not there has a name alone. */
export interface AlertAbout {
  task?: { name: string; labels?: Labels; pool?: string };
  pool?: string;
  monitor?: { name: string; labels: Labels };
}

/** What an alert of a rule is found by. */
export function alertLabels(
  { name: rule, when: { kind }, severity }: Pick<AlertRule, 'name' | 'when' | 'severity'>,
  { task, pool = task?.pool, monitor }: AlertAbout,
): Labels {
  return {
    ...task?.labels,
    ...(task ? { task: task.name } : {}),
    ...(pool === undefined ? {} : { pool }),
    ...(monitor ? { ...monitor.labels, monitor: monitor.name } : {}),
    ...{ rule, kind, severity },
  };
}

/** The routes that an alert takes at an instant: the first that matches and is open, and more where one says `continue`. */
export function routesOf(routes: readonly AlertRoute[], labels: Labels, at: Date): AlertRoute[] {
  const taken: AlertRoute[] = [];
  for (const route of routes) {
    if (route.match !== undefined && !matchesSelector(parseMatch(route.match), labels)) continue;
    if (route.hours && !isOpen(route.hours, at)) continue;
    taken.push(route);
    if (!route.continue) break;
  }
  return taken;
}

/**
 * The task itself says who hears of it; else the routes do, else the fleet's own settings. What nobody is named for goes to the inbox. None:
 * the task wants silence.
 */
export function destinationsOf(
  { routes }: Pick<Alerting, 'routes'>,
  alert: RoutedAlert,
  defaults: DefaultReceivers,
  at: Date,
): Destination[] {
  const { notify, labels } = alert;
  if (notify?.none) return [];
  const own = inlineReceivers({ email: notify?.email ?? [], webhook: notify?.webhook ?? [] });
  if (own.length > 0) return own.map((receiver) => destination(receiver, USUAL_ROUTE, labels));
  const taken = routesOf(routes, labels, at);
  if (taken.length > 0) {
    const found = taken.flatMap((route) => route.receivers.map((receiver) => destination(receiver, route, labels)));
    return found.filter((one, index) => found.findIndex(({ receiver }) => receiver === one.receiver) === index);
  }
  const fallback = inlineReceivers(defaults);
  return (fallback.length > 0 ? fallback : [INBOX]).map((receiver) => destination(receiver, USUAL_ROUTE, labels));
}

/** Of those that are named outside the document. */
const [USUAL_ROUTE] = alertingSpec.parse({ rules: [], routes: [{ receivers: [] }] }).routes as [AlertRoute];

function destination(receiver: string, route: AlertRoute, labels: Labels): Destination {
  const { groupBy, groupWaitMs, groupIntervalMs, repeatMs } = route;
  const group = groupBy.map((key) => `${key}=${labels[key] ?? ''}`).join(',');
  return { receiver, group, groupWaitMs, groupIntervalMs, repeatMs };
}

function inlineReceivers({ email, webhook }: DefaultReceivers): string[] {
  return [...email.map((to) => `email:${to}`), ...webhook.map(webhookName)];
}

/** The path of a webhook is its secret, so that its name says only where it is, and which one. */
export function webhookName(url: string): string {
  return `webhook:${maskUrlPath(url)} (${createHash('sha256').update(url).digest('hex').slice(0, 8)})`;
}

/** Who that is; undefined: nobody names it any more. `webhooks`: the URLs that tasks and settings name. */
export function receiverNamed(
  { receivers }: Pick<Alerting, 'receivers'>,
  name: string,
  webhooks: readonly string[],
): ReceiverSpec | undefined {
  if (Object.hasOwn(receivers, name)) return receivers[name];
  if (name === INBOX) return { type: 'inbox' };
  if (name.startsWith('email:')) return { type: 'email', to: [name.slice('email:'.length)] };
  const url = webhooks.find((each) => webhookName(each) === name);
  return url === undefined ? undefined : { type: 'webhook', url };
}
