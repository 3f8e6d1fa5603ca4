import { systemClock } from '@escapement/core';
import { openDatabase } from '@escapement/store';
import { createWorker } from '@escapement/worker';
import { PROCESS, surroundings } from './fleet.ts';

const [databaseUrl = '', redisUrl = '', index = '0', eachMs = '0'] = process.argv.slice(2);
const db = openDatabase({ url: databaseUrl, applicationName: 'bench worker' });
const worker = createWorker({
  ...surroundings({ redisUrl }, db),
  process: { ...PROCESS, pid: process.pid, id: `bench-worker-${index}`, role: 'worker' },
  emit: () => undefined,
  concurrency: 20,
  handlers: () => async (context) => {
    const startedMs = systemClock.now().getTime();
    await new Promise((resolve) => setTimeout(resolve, Number(context.payload ?? eachMs)));
    return { status: 'succeeded', output: { startedMs } };
  },
});
process.once('disconnect', async () => {
  await worker.stop(1000);
  await db.close();
  process.exit(0);
});
await worker.start();
process.send?.('started');
