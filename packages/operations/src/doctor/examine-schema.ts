import { type Database, inspectRoles, partitionedDaysAhead, partitionsWithoutRights } from '@escapement/store';
import type { Finding } from './finding.ts';
import { judgeMigrations, judgePartitions } from './judge.ts';
import { judgeRoles } from './judge-roles.ts';

/** Of a database that lacks no migrations: whether tables, partitions and rights are as programs need them. Changes nothing. */
export async function examineSchema(db: Database): Promise<Finding[]> {
  return [
    judgeMigrations([]),
    ...judgeRoles(await inspectRoles(db)),
    judgePartitions(await partitionedDaysAhead(db), await partitionsWithoutRights(db)),
  ];
}
