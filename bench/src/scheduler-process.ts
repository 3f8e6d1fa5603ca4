import { createScheduler } from '@escapement/scheduler';
import { openDatabase } from '@escapement/store';
import { PROCESS, surroundings } from './fleet.ts';

const [databaseUrl = '', redisUrl = '', tickMs] = process.argv.slice(2);
const db = openDatabase({ url: databaseUrl, applicationName: 'bench scheduler' });
const scheduler = createScheduler({
  ...surroundings({ redisUrl }, db),
  process: { ...PROCESS, id: 'bench-scheduler', role: 'scheduler' },
  horizonMs: 10_000,
  ...(tickMs === undefined ? {} : { ticks: { fromMs: 0, toMs: Number(tickMs) } }),
  emit: () => undefined,
});
process.once('disconnect', async () => {
  await scheduler.stop();
  await db.close();
  process.exit(0);
});
await scheduler.start();
process.send?.('started');
