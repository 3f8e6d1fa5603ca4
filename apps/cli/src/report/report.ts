import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { hostname, uptime } from 'node:os';
import { systemClock } from '@escapement/core';
import { type HostAnswer, sideOfStart } from '@escapement/core/shadow';
import { type LineFiles, lineFilesOf } from './line-files.ts';
import { type Ended, endAs, runAsCron } from './run-command.ts';
import { type Spool, spoolOf } from './spool.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A command that runs for so long is told of before it has ended. Milliseconds. */
const REPORT_START_MS = 10_000;

/**
 * Runs the command of a line of a crontab, and keeps when it began and how it ended until that is sent. Whatever goes wrong with that: the
 * command runs, and ends as it ends. A line that the fleet has by now, as this host has agreed to, is left to it.
 */
export async function report(line: string, words: readonly string[], env: Environment): Promise<void> {
  const started = newReport(line);
  const spool = spoolOf(env);
  const startedMs = started.startedAt.getTime();
  const name = (part: string) => `${String(startedMs).padStart(15, '0')}-${started.id}.${part}`;
  const files = lineFilesOf(spool.folder);
  files.noteStart(line, started.startedAt);
  const answers = files.answers(line);
  if (answers.length > 0) mark(files, answers, started);
  if (sideOfStart(answers, started.startedAt) === 'fleet') {
    keep(spool, name('2'), { ...started, endedAt: started.startedAt, leftToFleet: true });
    return sendLater(spool, env);
  }
  const soon = setTimeout(() => sendLater(spool, env), REPORT_START_MS);
  const ended = await runAsCron(words, env, () => keep(spool, name('1'), started));
  clearTimeout(soon);
  keep(spool, name('2'), { ...started, ...endOf(ended) });
  sendLater(spool, env);
  endAs(ended);
}

function newReport(line: string) {
  const startedAt = systemClock.now();
  const bootedAt = new Date(startedAt.getTime() - uptime() * 1000);
  return { id: randomUUID(), line, host: hostname(), startedAt, endedAt: null, exitCode: null, signal: null, bootedAt };
}

function endOf({ exitCode, signal }: Ended) {
  return { endedAt: systemClock.now(), exitCode, signal };
}

function mark(
  files: LineFiles,
  answers: readonly HostAnswer[],
  { line, startedAt }: ReturnType<typeof newReport>,
): void {
  try {
    files.markSide(line, answers, startedAt);
  } catch {
    // cron's command is not to suffer from it; the mark of an answer is made with the answer.
  }
}

function keep(spool: Spool, order: string, started: object): void {
  try {
    spool.add(order, started);
  } catch {
    // A full disk, or no folder: cron's command is not to suffer from it.
  }
}

/** In a process of its own, which outlives this one and has none of its files open: cron waits for those. */
function sendLater(spool: Spool, env: Environment): void {
  const [, program] = process.argv;
  try {
    if (program === undefined || !spool.isToSend(systemClock.now().getTime())) return;
    const sender = spawn(process.execPath, [program, 'report', '--send'], { detached: true, stdio: 'ignore', env });
    sender.once('error', () => undefined);
    sender.unref();
  } catch {
    // The next start of a line tries again.
  }
}
