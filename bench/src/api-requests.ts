import { DAY, HOUR } from '@escapement/core';
import type { ApiRequest } from './api-client.ts';
import { ACTORS, TEAMS } from './api-ledger.ts';
import { KEYS_PER_TASK } from './fill-ledger.ts';

/** What requests are about. */
export interface Subjects {
  tasks: number;
  taskIds: readonly string[];
  runIds: readonly string[];
  now: Date;
  days: number;
}

type Lookup = (subjects: Subjects) => string;

const pick = (below: number): number => Math.floor(Math.random() * below);
const task = ({ tasks }: Subjects): string => `bench-${pick(tasks)}`;
const runs = (query: string, more = ''): string => `/v1/runs?query=${encodeURIComponent(query)}${more}`;
const counts = (query: string): string => `/v1/runs/counts?query=${encodeURIComponent(query)}`;

/** As dashboards, scripts and people at a terminal ask. */
const LOOKUPS: Readonly<Record<string, Lookup>> = {
  'runs, the latest': () => runs(''),
  'runs, a later page': ({ runIds }) => runs('', `&after=${cursorBehind(runIds)}`),
  'runs by state': () => runs('state:failed'),
  'runs going on': () => runs('state:open'),
  'runs by task': (subjects) => runs(`task:${task(subjects)}`),
  'runs by task and state': (subjects) => runs(`task:${task(subjects)} state:failed,missed`),
  'runs by task pattern': ({ tasks }) => runs(`task:bench-${10 + pick(Math.max(1, tasks / 100 - 10))}*`),
  'runs by pattern and state': () => runs(`task:bench-1* state:failed since:-24h`),
  'runs by key': (subjects) => runs(`key:${task(subjects)}:${pick(KEYS_PER_TASK)}`),
  'runs by label': () => runs(`label:team=t${pick(TEAMS)}`),
  'runs by label and state': () => runs(`label:team=t${pick(TEAMS)} state:failed since:-24h`),
  'runs by error text': () => runs('state:failed error:ETIMEDOUT since:-24h'),
  'runs by error text, none': () => runs('error:unheard-of since:-24h'),
  'runs by time': (subjects) => runs(hourOf(subjects)),
  'runs by time and state': (subjects) => runs(`state:failed ${hourOf(subjects)}`),
  'counts of a day': () => counts('since:-24h'),
  'counts of a task': (subjects) => counts(`task:${task(subjects)}`),
  'tasks by name': () => '/v1/tasks',
  'tasks with their latest runs': () => '/v1/tasks?recent=30',
  'tasks by search': () => `/v1/tasks?name=${encodeURIComponent(`*${pick(1000)}*`)}`,
  'tasks by label': () => `/v1/tasks?label=team%3Dt${pick(TEAMS)}`,
  'tasks by state': () => '/v1/tasks?state=paused',
  'tasks, the next due': () => '/v1/tasks?sort=next',
  'errors of a day': () => '/v1/errors?since=24h',
  'errors of a task': (subjects) => `/v1/errors?since=7d&task=${task(subjects)}`,
  'keys that are held': () => '/v1/keys?busy=true',
  'a key': (subjects) => `/v1/key?key=${encodeURIComponent(`${task(subjects)}:${pick(KEYS_PER_TASK)}`)}`,
  workers: () => '/v1/workers',
  pools: () => '/v1/pools',
  audit: () => '/v1/audit',
  'audit of a task': (subjects) => `/v1/audit?subject=${encodeURIComponent(`task:${task(subjects)}`)}`,
  'audit of a person': () => `/v1/audit?principal=person-${pick(ACTORS)}`,
  'audit by action': () => '/v1/audit?action=pause',
  alerts: () => '/v1/alerts',
  'alerts of 90 days': () => '/v1/alerts?all=true',
};

/** How many kinds of lists and searches there are. */
export const LIST_KINDS = Object.keys(LOOKUPS).length;

/** Lists and searches, each kind in its turn. */
export function listRequest(index: number, subjects: Subjects): ApiRequest {
  const [kind, path] = Object.entries(LOOKUPS)[index % LIST_KINDS] ?? ['', () => '/'];
  return { kind, path: path(subjects) };
}

export function runPageRequest({ runIds }: Subjects): ApiRequest {
  return { kind: 'run page', path: `/v1/runs/${runIds[pick(runIds.length)]}` };
}

export function triggerRequest({ taskIds }: Subjects): ApiRequest {
  return { kind: 'trigger', path: `/v1/tasks/${taskIds[pick(taskIds.length)]}/trigger`, method: 'POST' };
}

function hourOf({ now, days }: Subjects): string {
  const since = new Date(now.getTime() - HOUR - pick(days * DAY - HOUR));
  return `since:${since.toISOString()} until:${new Date(since.getTime() + HOUR).toISOString()}`;
}

/** As the API writes its cursors; opaque to clients, who get them from a page before. */
function cursorBehind(runIds: readonly string[]): string {
  return Buffer.from(JSON.stringify({ before: runIds[pick(runIds.length)] })).toString('base64url');
}
