import { identityOfRedis } from '@escapement/core';
import { type Database, pendingMigrations, redisUse } from '@escapement/store';
import { type Finding, problem } from './finding.ts';

/** Whether living programs use another Redis than the one that was asked. `here`: by what that one is known; null: it has nothing. */
export async function examineWhichRedis(db: Database, here: string | null): Promise<Finding[]> {
  if ((await pendingMigrations(db.pool)).length > 0) return [];
  const use = await redisUse(db, 'this command');
  if (!use.usedBy || identityOfRedis({ here, ...use, admitted: false }) !== 'other') return [];
  const detail = `it is not the one that serves the namespace "${db.namespace}": ${use.usedBy.program} uses another one`;
  return [problem('Redis', detail, 'correct REDIS_URL here; a program that is started with it ends')];
}
