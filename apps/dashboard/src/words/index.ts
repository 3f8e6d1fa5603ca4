// All words of the dashboard. A screen has a file here, and no text of its own: a test looks for some.
import { about } from './about.ts';
import { access } from './access.ts';
import { alerting } from './alerting.ts';
import { alerts } from './alerts.ts';
import { audit } from './audit.ts';
import { backfills } from './backfills.ts';
import { bulk } from './bulk.ts';
import { calendars } from './calendars.ts';
import { common } from './common.ts';
import { crontabs } from './crontabs.ts';
import { edit } from './edit.ts';
import { errors } from './errors.ts';
import { fleet } from './fleet.ts';
import { forecast } from './forecast.ts';
import { forecastRows } from './forecast-rows.ts';
import { imports } from './imports.ts';
import { keys } from './keys.ts';
import { lists } from './lists.ts';
import { now } from './now.ts';
import { oneKey } from './one-key.ts';
import { recovery } from './recovery.ts';
import { run } from './run.ts';
import { runs } from './runs.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { task } from './task.ts';
import { taskChain } from './task-chain.ts';
import { taskDurations } from './task-durations.ts';
import { taskHistory } from './task-history.ts';
import { tasks } from './tasks.ts';
import { whatIf } from './what-if.ts';

export const words = {
  about,
  access,
  alerting,
  alerts,
  audit,
  backfills,
  bulk,
  calendars,
  common,
  crontabs,
  edit,
  errors,
  fleet,
  forecast,
  forecastRows,
  imports,
  keys,
  lists,
  now,
  oneKey,
  recovery,
  run,
  runs,
  shell,
  signIn,
  task,
  taskChain,
  taskDurations,
  taskHistory,
  tasks,
  whatIf,
};
