import { counted, span } from '@escapement/core';
import type { ProductionReport } from '@escapement/store';
import { type Finding, ok, onPage, problem, warning } from '../finding.ts';
import { PAGES } from './pages.ts';

/** Connections to plan for each scheduler, worker and API (docs/how-to/run-a-fleet.md). */
export const CONNECTIONS_EACH = 10;
const LONG_KEPT_DAYS = 400;
const GB = 1e9;

/** Room: connections, statements, disk, and how long rows are kept. `processes`: schedulers and workers alive. */
export function judgeLimits(report: ProductionReport, processes: number): Finding[] {
  return [
    ...onPage(PAGES.postgres, judgeConnections(report, processes), judgeStatements(report)),
    ...onPage(PAGES.tasks, judgeSize(report)),
  ];
}

function judgeConnections({ connections, connected }: ProductionReport, processes: number): Finding {
  // One API at least, which does not say that it lives.
  const needed = CONNECTIONS_EACH * (processes + 1);
  const said = `Postgres takes ${connections}, has ${connected}; ${counted(processes, 'scheduler or worker', 'schedulers and workers')} and an API may need ${needed}`;
  const fix = 'raise max_connections, or lower ESCAPEMENT_DATABASE_CONNECTIONS';
  if (needed > connections) return problem('Connections', said, fix);
  return 2 * needed > connections && 5 * connected > 4 * connections
    ? warning('Connections', said, fix)
    : ok('Connections', said);
}

function judgeStatements({ statementTimeoutMs }: ProductionReport): Finding {
  if (statementTimeoutMs > 0) return ok('Limits', `statements end after ${span(statementTimeoutMs)}`);
  return problem(
    'Limits',
    'no statement ever ends: a stuck one holds a connection for good',
    'set ESCAPEMENT_STATEMENT_TIMEOUT_MS',
  );
}

function judgeSize({ size, retentionDays }: ProductionReport): Finding {
  const said = `the database has ${(size / GB).toFixed(2)} GB; how much room its disk has left Postgres does not say: have that watched`;
  if (retentionDays === null) return ok('Disk', said);
  const kept = `${said}; runs are kept for up to ${counted(retentionDays, 'day')}`;
  return retentionDays > LONG_KEPT_DAYS
    ? warning('Disk', kept, 'lower retentionDays of such tasks, or export what has to be kept')
    : ok('Disk', kept);
}
