import { type By, EscapementError } from '@escapement/core';
import { hostObject, namespaceObject } from '@escapement/core/rights';
import { type CronReport, type HostAnswer, MOST_REPORTS, type Proposal } from '@escapement/core/shadow';
import { type Database, keepCronReports, pingDatabase, type StartedLine, unansweredCutovers } from '@escapement/store';
import { permit } from '../rights/permit.ts';
import { recordAnswers } from './decide-cutover.ts';

/** What a host tells at once. */
export interface HostWord {
  reports: readonly CronReport[];
  /** Default: it answers nothing, and is asked nothing. */
  host?: string | undefined;
  /** Lines that the sender has started, by the folder in which it keeps reports. */
  lines: readonly StartedLine[];
  answers: readonly Pick<HostAnswer, 'id' | 'answer' | 'answeredAt'>[];
}

/**
 * Takes what a host tells of cron, and what it answers; told again, it is taken once. Asks for `report` on each host that is named. Returns the cut-overs of its lines that it has not answered.
 * Throws `not_allowed`, `too_many_reports`.
 */
export async function receiveReports(
  db: Database,
  { reports, host, lines, answers }: HostWord,
  by: By,
): Promise<Proposal[]> {
  const hosts = new Set([...reports.map((report) => report.host), ...(host === undefined ? [] : [host])]);
  await permit(db, by, { action: 'report', subject: { namespace: db.namespace } }, () =>
    hosts.size === 0
      ? [{ right: 'report', object: namespaceObject(db.namespace, 'what cron has started') }]
      : [...hosts].map((each) => ({ right: 'report', object: hostObject(db.namespace, each) })),
  );
  if (reports.length > MOST_REPORTS)
    throw new EscapementError('too_many_reports', `${reports.length} reports were told at once`, {
      fix: `tell ${MOST_REPORTS} at most, and the rest after them`,
    });
  if (reports.length > 0) await keepCronReports(db, reports);
  if (host === undefined) return [];
  await recordAnswers(db, host, answers, by);
  const cutovers = await unansweredCutovers(db, { host, lines });
  if (cutovers.length === 0) return [];
  const { now } = await pingDatabase(db);
  return cutovers.map(({ id, line, to, at, settled }) => ({ id, line, to, at, settled, now }));
}
