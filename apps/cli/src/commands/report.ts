import { tellCronReports } from '@escapement/api/routes';
import { cronLineId, EscapementError, MOST_REPORTS } from '@escapement/core';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { type Calls, withFleet } from '../fleet.ts';
import { report } from '../report/report.ts';
import { type Spool, spoolOf } from '../report/spool.ts';

interface ReportOptions {
  line?: string;
  send: boolean;
}

/** `report`: what cron runs in place of a command. As cron starts it, it does not come here: src/report/main.ts. */
export function addReport(program: Command, context: Context): void {
  program
    .command('report')
    .description('run the command of a line of a crontab as cron would, and report when it began and how it ended')
    .argument('[command...]', 'behind --: one word for the shell, or a program and its arguments')
    .option('--line <id>', 'id of the line, as `escapement shadow patch` writes it')
    .option('--send', 'send the reports that wait on this host, and run nothing', false)
    .action(async (words: string[], { line, send }: ReportOptions) => {
      if (send) return await sendWaiting(context);
      if (line === undefined || words.length === 0)
        throw new EscapementError('bad_report', 'an id of a line and a command are needed', {
          fix: 'escapement report --line ID -- COMMAND; `escapement shadow patch` writes that',
        });
      await report(line, words, context.env);
    });
}

const waitingReport = z.strictObject({
  id: z.uuid(),
  line: cronLineId,
  host: z.string().min(1).max(255),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  exitCode: z.int().min(0).max(255).nullable(),
  signal: z.string().max(20).nullable(),
  bootedAt: z.iso.datetime().nullable(),
});

/** Sends what waits, in its order, until nothing does. Another process may be at it. */
async function sendWaiting(context: Context): Promise<void> {
  const spool = spoolOf(context.env);
  let sent = 0;
  while (spool.waiting().length > 0 && spool.claim(context.clock.now().getTime())) {
    let failed = true;
    try {
      sent += await withFleet(context, (fleet) => sendAll(spool, fleet));
      failed = false;
    } finally {
      spool.release({ failed });
    }
  }
  context.output.result({ sent, waiting: spool.waiting().length }, () => [`${sent} reports are sent`]);
}

async function sendAll(spool: Spool, fleet: Calls): Promise<number> {
  let sent = 0;
  for (let names = spool.waiting(); names.length > 0; names = spool.waiting()) {
    const some = names.slice(0, MOST_REPORTS);
    const reports = some.flatMap((name) => waitingReport.safeParse(spool.read(name)).data ?? []);
    await fleet.call(tellCronReports, { body: { reports } });
    for (const name of some) spool.remove(name);
    sent += reports.length;
  }
  return sent;
}
