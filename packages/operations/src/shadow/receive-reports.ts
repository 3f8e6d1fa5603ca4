import { type By, type CronReport, EscapementError, MOST_REPORTS } from '@escapement/core';
import { type Database, keepCronReports } from '@escapement/store';
import { permitInNamespace } from '../rights/permit.ts';

/** Takes what a host tells of cron; told again, it is taken once. Throws `not_allowed`, `too_many_reports`. */
export async function receiveReports(db: Database, reports: readonly CronReport[], by: By): Promise<void> {
  const act = { action: 'report', subject: { namespace: db.namespace }, what: 'what cron has started' };
  await permitInNamespace(db, by, 'trigger', act);
  if (reports.length > MOST_REPORTS)
    throw new EscapementError('too_many_reports', `${reports.length} reports were told at once`, {
      fix: `tell ${MOST_REPORTS} at most, and the rest after them`,
    });
  if (reports.length > 0) await keepCronReports(db, reports);
}
