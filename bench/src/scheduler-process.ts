import { createScheduler } from '@escapement/scheduler';
import { started } from './children.ts';
import { surroundings } from './surroundings.ts';
import { switchedMetrics } from './switched-metrics.ts';

export interface SchedulerInput {
  databaseUrl: string;
  redisUrl: string;
  index: number;
  /** Intervals of up to this ride repeatable jobs. Default: as by default. */
  repeatableUpToMs?: number | undefined;
  /** How far ahead the scheduler makes rows. Milliseconds. Default 10,000. */
  horizonMs?: number | undefined;
}

const {
  index,
  repeatableUpToMs,
  horizonMs = 10_000,
  ...addresses
}: SchedulerInput = JSON.parse(process.argv[2] ?? '{}');
const around = surroundings('scheduler', index, addresses);
const scheduler = createScheduler({
  ...around,
  horizonMs,
  ...(repeatableUpToMs === undefined ? {} : { repeatable: { fromMs: 0, toMs: repeatableUpToMs } }),
  emit: switchedMetrics(around),
  // As in production, where somebody is told of failures; there are none here.
  alerting: {
    defaults: { email: [], webhook: [] },
    send: async () => ({ status: 'sent', detail: 'nobody is told by a benchmark' }),
    render: ({ notes }) => notes.map(({ summary }) => summary).join('\n'),
  },
});
await scheduler.start();
started(async () => {
  await scheduler.stop();
  await around.db.close();
});
