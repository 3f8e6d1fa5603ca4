import { listQuietSlots } from '@escapement/api/routes';
import { DAY_MINUTES, readDays, readDayWindow } from '@escapement/core/forecast';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readCount, readPool, readZone } from '../options.ts';
import { counted, systemZone } from '../output/wording.ts';

interface SlotOptions {
  minutes: number;
  window?: string;
  every?: string;
  days: number;
  count: number;
  pool?: string;
  tz: string;
}

/** `slot`: when something could run and meet least that is at work. */
export function addSlot(program: Command, context: Context): void {
  program
    .command('slot')
    .description('the quietest times of day, for something that is still to be scheduled')
    .requiredOption('--minutes <n>', 'how long it takes, 1 to 1440', readCount('--minutes', 1, DAY_MINUTES))
    .option('--window <times>', 'it may start from then to then, as 01:00-05:00', checked(readDayWindow('--window')))
    .option(
      '--every <days>',
      'on which days: `day`, or as in a cron expression: mon-fri, sat,sun',
      checked(readDays('--every')),
    )
    .option('--days <n>', 'what will be at work is looked at for so many days, 1 to 60', readCount('--days', 1, 60), 7)
    .option('--count <n>', 'how many times, 1 to 100', readCount('--count', 1, 100), 5)
    .option('--pool <pool>', 'beside the tasks of one pool only', readPool)
    .option('--tz <zone>', "IANA time zone of the times; default: this machine's", readZone, systemZone())
    .action((options: SlotOptions) => showSlots(options, context));
}

/** The text as it is, once it is known that it can be read. */
function checked(read: (text: string) => unknown): (text: string) => string {
  return (text) => {
    read(text);
    return text;
  };
}

async function showSlots({ tz: timeZone, ...options }: SlotOptions, context: Context): Promise<void> {
  const { output } = context;
  const query = { ...options, timeZone };
  const found = await withFleet(context, (fleet) => fleet.call(listQuietSlots, { query }));
  const { days, slots, unmeasured } = found;
  output.table(found, slots, [
    { title: 'TIME', value: ({ time }) => time },
    { title: 'AT ONCE', value: ({ p50 }) => String(p50), align: 'right' },
    { title: 'AT MOST', value: ({ p95 }) => String(p95), align: 'right' },
    { title: 'STARTS', value: ({ starts }) => String(starts), align: 'right' },
    { title: 'EXPRESSION', value: ({ expression }) => expression },
  ]);
  output.note(
    `times in ${timeZone}; of the next ${counted(days, 'day')} the worst: at work at once beside it, if runs take as long as half of their task's do, or only 5 %; STARTS: of all days`,
  );
  if (unmeasured.tasks > 0)
    output.note(`not known how long ${counted(unmeasured.tasks, 'task')} take: they count in STARTS alone`);
}
