import { systemClock } from '@escapement/core';
import { connectRedis, createQueueContents, createRunQueue } from '@escapement/queue';
import { createRequests } from '@escapement/scheduler';
import { type Database, listenForWake, writeHeartbeat } from '@escapement/store';
import { afterFile } from '@escapement/testkit';

/** As much of a scheduler as answers what the command line asks of Redis. */
export function answerRequests(db: Database, redisUrl: string): void {
  const connection = connectRedis({ url: redisUrl, namespace: db.namespace });
  const queue = createRunQueue(connection);
  const requests = createRequests({
    db,
    queue,
    connection,
    contents: createQueueContents(connection),
    leases: connection,
    clock: systemClock,
    processId: `scheduler of ${redisUrl}`,
    onError: () => undefined,
  });
  const listener = listenForWake(db, requests.wake);
  requests.start();
  afterFile(async () => {
    await Promise.all([listener.stop(), requests.stop()]);
    await queue.close();
    await connection.close();
  });
}

/** A scheduler is taken for alive as long as the test goes on. */
export async function schedulerLives(db: Database): Promise<void> {
  const process = { id: 's', role: 'scheduler', host: 'h', pid: 1, appVersion: '1', pools: [] } as const;
  await writeHeartbeat(db, process, { activeRuns: [], clockOffsetMs: 0 });
  await db.pool.query("UPDATE process SET heartbeat_at = now() + interval '1 hour' WHERE id = $1", [process.id]);
}
