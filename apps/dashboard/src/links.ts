import { linkOptions } from '@tanstack/react-router';
import type { AccessSearch } from './routes/access/search.ts';
import type { AlertingSearch } from './routes/alerting/search.ts';
import type { AlertsSearch } from './routes/alerts/search.ts';
import type { AuditSearch } from './routes/audit/search.ts';
import type { BackfillsSearch } from './routes/backfills/search.ts';
import type { CalendarSearch } from './routes/calendar/search.ts';
import type { CrontabsSearch } from './routes/crontabs/search.ts';
import type { ErrorsSearch } from './routes/errors/search.ts';
import type { ForecastSearch } from './routes/forecast/search.ts';
import type { ListSearch } from './routes/list/search.ts';
import type { RecoverySearch } from './routes/recovery/search.ts';
import type { TaskSearch } from './routes/task/search.ts';
import type { TasksSearch } from './routes/tasks/search.ts';

// Every link is made here, and nowhere else: a test looks for others. `<Link {...toRun(id)}>`.

export const toNow = () => linkOptions({ to: '/' });

/** Who has to sign in first comes back to the page that they wanted. */
export const toSignIn = (returnTo?: string) =>
  linkOptions({ to: '/sign-in', search: returnTo === undefined || returnTo === '/' ? {} : { returnTo } });

/** Tasks, found, filtered and sorted. */
export const toTasks = (search: TasksSearch = {}) => linkOptions({ to: '/tasks', search });

export const toTask = (id: string, search: TaskSearch = {}) =>
  linkOptions({ to: '/tasks/$id', params: { id }, search });

export const toEditTask = (id: string) => linkOptions({ to: '/tasks/$id/edit', params: { id } });

export const toNewTask = () => linkOptions({ to: '/new-task' });

/** Tasks of a crontab. */
export const toImport = () => linkOptions({ to: '/import' });

/** Runs, by a query of the documents: `state:failed since:-24h`. */
export const toRuns = (query = '') => linkOptions({ to: '/runs', search: query === '' ? {} : { query } });

export const toRun = (id: string) => linkOptions({ to: '/runs/$id', params: { id } });

/** The same as an address, where a link is no component. */
export const runPath = (id: string) => `/runs/${encodeURIComponent(id)}`;

/** The same as an address. */
export const runsPath = (query: string) => `/runs?query=${encodeURIComponent(query)}`;

/** The runs of a task that has not such a name as a query would misread. */
export const toRunsOf = (task: string, more = '') => toRuns(`task:${quoted(task)} ${more}`.trim());

/** Longest words that are looked for. */
const MAX_WORDS = 100;

/** Runs, of any task, whose reason or error has the first words of this message. */
export function toRunsLike(message: string) {
  const [line = ''] = message.split('\n');
  return toRuns(`error:${quoted(line.slice(0, MAX_WORDS).trim())}`);
}

/** The runs of a key. */
export const toRunsOfKey = (key: string) => toRuns(`key:${quoted(key)}`);

/** The query for the runs of a task, or key, that were due in a piece of time. */
export const runsIn = (by: 'task' | 'key', name: string, { from, to }: { from: string; to: string }) =>
  `${by}:${quoted(name)} since:${from} until:${to}`;

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Failures by what they have in common. */
export const toErrors = (search: ErrorsSearch = {}) => linkOptions({ to: '/errors', search });

/** What will run. */
export const toForecast = (search: ForecastSearch = {}) => linkOptions({ to: '/forecast', search });

/** What is wrong now, or was. */
export const toAlerts = (search: AlertsSearch = {}) => linkOptions({ to: '/alerts', search });

/** What people and programs did. */
export const toAudit = (search: AuditSearch = {}) => linkOptions({ to: '/audit', search });

/** Rules of alerts, who is told, and the messages. */
export const toAlerting = (search: AlertingSearch = {}) => linkOptions({ to: '/alerting', search });

/** Users and tokens. */
export const toAccess = (search: AccessSearch = {}) => linkOptions({ to: '/access', search });
/** What is held after an outage; of a task one by one. */
export const toRecovery = (search: RecoverySearch = {}) => linkOptions({ to: '/recovery', search });

/** Occurrences of a time that has passed; `start`: of a task. */
export const toBackfills = (search: BackfillsSearch = {}) => linkOptions({ to: '/backfills', search });

/** Crontabs in the shadow of cron: what cron did beside what was planned, and who runs what. */
export const toCrontabs = (search: CrontabsSearch = {}) => linkOptions({ to: '/crontabs', search });

/** Pools, workers, schedulers and keys. */
export const toFleet = () => linkOptions({ to: '/fleet' });

/** A key: its slots, and who waits for them. It may hold any character. */
export const toKey = (key: string) => linkOptions({ to: '/key', search: { key } });

/** What runs here, and whether it is well. */
export const toAbout = () => linkOptions({ to: '/about' });

/** A file of the API, not a page of the dashboard. */
export const OPEN_API = '/openapi.json';
/** Named sets of times that tasks leave out. */
export const toCalendars = () => linkOptions({ to: '/calendars' });

export const toCalendar = (name: string, search: CalendarSearch = {}) =>
  linkOptions({ to: '/calendars/$name', params: { name }, search });

export const toEditCalendar = (name: string) => linkOptions({ to: '/calendars/$name/edit', params: { name } });

export const toNewCalendar = () => linkOptions({ to: '/new-calendar' });

/** Items that runs take one after the other. */
export const toLists = () => linkOptions({ to: '/lists' });

export const toList = (name: string, search: ListSearch = {}) =>
  linkOptions({ to: '/lists/$name', params: { name }, search });

/** Where a browser is sent to sign in at the OpenID provider: a page of the API, not of the dashboard. */
export const providerSignIn = (returnTo: string) => `/v1/session/oidc?${new URLSearchParams({ returnTo })}`;

/** A run's log as a file. */
export const logFile = (id: string) => `/v1/runs/${encodeURIComponent(id)}/log`;
