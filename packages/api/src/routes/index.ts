// All routes. Each is also exported by its own name, for who calls it.

import type { Route } from '../http/route.ts';
import * as access from './access/access.ts';
import * as audit from './access/audit.ts';
import * as oidc from './access/oidc.ts';
import * as session from './access/session.ts';
import * as alerts from './alerts/alerts.ts';
import * as apply from './apply.ts';
import * as batches from './batches.ts';
import * as bulk from './bulk.ts';
import * as crontab from './crontab.ts';
import * as cutovers from './cutovers.ts';
import * as doctor from './doctor.ts';
import * as errors from './errors.ts';
import * as events from './events.ts';
import * as apiServer from './fleet/api.ts';
import * as backfills from './fleet/backfills.ts';
import * as calendars from './fleet/calendars.ts';
import * as keys from './fleet/keys.ts';
import * as lists from './fleet/lists.ts';
import * as pools from './fleet/pools.ts';
import * as recovery from './fleet/recovery.ts';
import * as workers from './fleet/workers.ts';
import * as forecast from './forecast/forecast.ts';
import * as forecastRows from './forecast/rows.ts';
import * as slots from './forecast/slots.ts';
import * as timeZones from './forecast/time-zones.ts';
import * as me from './me.ts';
import * as monitors from './monitors/monitors.ts';
import * as otherSchedulers from './other-schedulers.ts';
import * as runList from './runs/list-runs.ts';
import * as logEvents from './runs/log-events.ts';
import * as oneRun from './runs/one-run.ts';
import * as runChanges from './runs/run-changes.ts';
import * as runTrigger from './runs/trigger-run.ts';
import * as runWait from './runs/wait-for-run.ts';
import * as shadow from './shadow.ts';
import * as taskActs from './tasks/act-on-task.ts';
import * as taskList from './tasks/list-tasks.ts';
import * as taskPreviews from './tasks/preview-task.ts';
import * as taskSaves from './tasks/save-task.ts';
import * as taskShow from './tasks/show-task.ts';
import * as taskChain from './tasks/task-chain.ts';
import * as verifications from './verifications.ts';

/** Every export of these files is a route. */
const FILES = [
  ...[
    me,
    session,
    oidc,
    taskList,
    taskShow,
    taskChain,
    taskSaves,
    taskPreviews,
    taskActs,
    apply,
    crontab,
    shadow,
    cutovers,
    otherSchedulers,
    runList,
    runChanges,
    oneRun,
    runTrigger,
    runWait,
    logEvents,
    batches,
    bulk,
    errors,
    events,
  ],
  ...[
    keys,
    pools,
    workers,
    apiServer,
    calendars,
    lists,
    backfills,
    recovery,
    access,
    audit,
    alerts,
    monitors,
    forecast,
    forecastRows,
    slots,
    timeZones,
    verifications,
    doctor,
  ],
];

/** All that the API answers, by path. */
export const ROUTES: readonly Route[] = FILES.flatMap((routes): Route[] => Object.values(routes)).toSorted(
  (one, other) => (keyOf(one) < keyOf(other) ? -1 : 1),
);

function keyOf({ path, method }: Route): string {
  return `${path} ${method}`;
}

export * from './access/access.ts';
export * from './access/audit.ts';
export * from './access/oidc.ts';
export * from './access/session.ts';
export * from './alerts/alerts.ts';
export * from './apply.ts';
export * from './batches.ts';
export * from './bulk.ts';
export * from './crontab.ts';
export * from './cutovers.ts';
export * from './doctor.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './fleet/api.ts';
export * from './fleet/backfills.ts';
export * from './fleet/calendars.ts';
export * from './fleet/keys.ts';
export * from './fleet/lists.ts';
export * from './fleet/pools.ts';
export * from './fleet/recovery.ts';
export * from './fleet/workers.ts';
export * from './forecast/forecast.ts';
export * from './forecast/rows.ts';
export * from './forecast/slots.ts';
export * from './forecast/time-zones.ts';
export * from './me.ts';
export * from './monitors/monitors.ts';
export * from './other-schedulers.ts';
export * from './runs/list-runs.ts';
export * from './runs/log-events.ts';
export * from './runs/one-run.ts';
export * from './runs/run-changes.ts';
export * from './runs/trigger-run.ts';
export * from './runs/wait-for-run.ts';
export * from './shadow.ts';
export * from './tasks/act-on-task.ts';
export * from './tasks/list-tasks.ts';
export * from './tasks/preview-task.ts';
export * from './tasks/save-task.ts';
export * from './tasks/show-task.ts';
export * from './tasks/task-chain.ts';
export * from './verifications.ts';
