import { cron, DAY, defineTask, FatalError } from '@escapement/sdk';
import { z } from 'zod';
import importAlert from './import-alert.ts';
import importReport from './import-report.ts';

/** What a test replaces. */
export interface OrderSource {
  /** The orders of a day, a line each; throws while there are none yet. */
  read(day: string, signal: AbortSignal): Promise<string[]>;
}

export const nightlyImport = (source: OrderSource) =>
  defineTask({
    name: 'nightly-import',
    description: 'Imports the orders of the day before; a report follows a success, an alert the last failure.',
    schedule: cron('0 2 * * *', 'UTC'),
    // By hand: escapement tasks trigger nightly-import --payload '{"day":"2026-03-01"}'
    payload: z.object({ day: z.iso.date().optional() }),
    defaultPayload: {},
    retry: { maxAttempts: 3, backoff: { kind: 'exponential', delayMs: 60_000 } },
    output: z.object({ day: z.iso.date(), orders: z.int(), rejected: z.int() }),
    // Recorded in the same write as the end of the run: a crash neither loses nor doubles what follows.
    then: [{ task: importReport }],
    onFailure: importAlert,
    async run({ day }, ctx) {
      // The day before the one the run is about: a run that is late, or repeated next week, imports the same.
      const imported = day ?? new Date(ctx.run.scheduledFor.getTime() - DAY).toISOString().slice(0, 10);
      const lines = await source.read(imported, ctx.signal);
      if (lines.length === 0) throw new FatalError(`the orders of ${imported} are an empty file`);
      const good = lines.filter((line) => ORDER.test(line)).length;
      ctx.log.info('imported', { day: imported, good });
      return { day: imported, orders: good, rejected: lines.length - good };
    },
  });

/** Number, article, count. */
const ORDER = /^\d+;[A-Z0-9-]+;\d+$/;

export default nightlyImport({ read: async () => ['1001;LAMP-7;2', '1002;CHAIR-1;4', 'what is this?'] });
