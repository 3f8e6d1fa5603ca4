import { type Database, inspectProduction, inspectRoles, listProcesses, pendingMigrations } from '@escapement/store';
import type { Finding } from '../finding.ts';
import { judgeAccess } from './judge-access.ts';
import { judgeDurability } from './judge-durability.ts';
import { judgeLimits } from './judge-limits.ts';
import { judgeProcesses } from './judge-processes.ts';

/**
 * What matters where people rely on a fleet, beside what `examineDatabase` says: backups, spare processes, limits, who gets in. By what
 * Postgres knows. Nothing while migrations are missing, which that says. Changes nothing.
 */
export async function examineProduction(db: Database, { deadMs }: { deadMs: number }): Promise<Finding[]> {
  if ((await pendingMigrations(db.pool)).length > 0) return [];
  const [report, roles, processes] = [
    await inspectProduction(db),
    await inspectRoles(db),
    await listProcesses(db, { withinMs: deadMs }),
  ];
  return [
    ...judgeDurability(report),
    ...judgeLimits(report, processes.length),
    ...judgeAccess(report, roles),
    ...judgeProcesses(processes, process.versions.node),
  ];
}
