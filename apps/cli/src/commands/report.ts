import { hostname } from 'node:os';
import { sendCronReports } from '@escapement/api/routes';
import { type Clock, counted, EscapementError, instantText, inUtc } from '@escapement/core';
import { cronLineId, type HostAnswer, MOST_REPORTS, type Proposal } from '@escapement/core/shadow';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { type Calls, withFleet } from '../fleet.ts';
import { answerProposals } from '../report/answer-proposals.ts';
import { lineFilesOf } from '../report/line-files.ts';
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
    .usage('--line <id> -- <command...> | --send')
    .argument('[command...]', 'behind --: one word for the shell, or a program and its arguments')
    .option('--line <id>', 'id of the line, as `escapement shadow patch` writes it; needed with a command')
    .option(
      '--send',
      'send the reports that wait on this host, answer what is asked of its lines, and run nothing',
      false,
    )
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
  startedAt: instantText,
  endedAt: instantText.nullable(),
  exitCode: z.int().min(0).max(255).nullable(),
  signal: z.string().max(20).nullable(),
  bootedAt: instantText.nullable(),
  leftToFleet: z.boolean().optional(),
});

type WaitingReport = z.output<typeof waitingReport>;

/** Sends what waits, in its order, until nothing does, and answers what is asked. Another process may be at it. */
async function sendWaiting(context: Context): Promise<void> {
  const spool = spoolOf(context.env);
  const done: Sent = { sent: 0, answered: [] };
  do {
    if (!spool.claim(context.clock.now().getTime())) break;
    let failed = true;
    try {
      await withFleet(context, (fleet) => sendAll(spool, fleet, { clock: context.clock, done }));
      failed = false;
    } finally {
      spool.release({ failed });
    }
  } while (spool.waiting().length > 0);
  context.output.result({ ...done, waiting: spool.waiting().length }, () => [
    `${counted(done.sent, 'report')} sent`,
    ...done.answered.map(
      ({ to, at, answer }) => `${answer}: from ${inUtc(at)} on ${to === 'fleet' ? 'the fleet' : 'cron'} runs the line`,
    ),
  ]);
}

interface Sent {
  sent: number;
  answered: HostAnswer[];
}

async function sendAll(spool: Spool, fleet: Calls, { clock, done }: { clock: Clock; done: Sent }): Promise<void> {
  const files = lineFilesOf(spool.folder);
  const sendReports = async (reports: readonly WaitingReport[], answers: readonly HostAnswer[]) => {
    const received = answers.map(({ id, answer, answeredAt }) => ({
      id,
      answer,
      answeredAt: answeredAt.toISOString(),
    }));
    const body = { reports: [...reports], host: hostname(), lines: files.started(), answers: received };
    return (await fleet.call(sendCronReports, { body })).proposals;
  };
  let proposals: readonly Proposal[] = [];
  let names = spool.waiting();
  do {
    const some = names.slice(0, MOST_REPORTS);
    const reports = some.flatMap((name) => waitingReport.safeParse(spool.read(name)).data ?? []);
    proposals = await sendReports(reports, []);
    for (const name of some) spool.remove(name);
    done.sent += reports.length;
    names = spool.waiting();
  } while (names.length > 0);
  if (proposals.length === 0) return;
  const answers = answerProposals(files, proposals, clock);
  await sendReports([], answers);
  done.answered.push(...answers);
}
