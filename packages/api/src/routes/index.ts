import type { Route } from '../http/route.ts';
import * as bulk from './bulk.ts';
import * as errors from './errors.ts';
import * as events from './events.ts';
import * as me from './me.ts';
import * as runList from './runs/list-runs.ts';
import * as oneRun from './runs/one-run.ts';
import * as taskActs from './tasks/act-on-task.ts';
import * as taskList from './tasks/list-tasks.ts';
import * as taskSaves from './tasks/save-task.ts';
import * as taskShow from './tasks/show-task.ts';

/** All that the API answers, by path: every export of these files is a route. */
export const ROUTES: readonly Route[] = [
  me,
  taskList,
  taskShow,
  taskSaves,
  taskActs,
  runList,
  oneRun,
  bulk,
  errors,
  events,
]
  .flatMap((routes): Route[] => Object.values(routes))
  .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));

function keyOf({ path, method }: Route): string {
  return `${path} ${method}`;
}
