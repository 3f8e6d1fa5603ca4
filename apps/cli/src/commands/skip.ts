import { EscapementError } from '@escapement/core';
import { readOccurrences } from '@escapement/operations';
import { type Database, type PauseWindow, pauseTask, type Task } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, whoAsks, withDatabase } from '../context.ts';
import { readCount } from '../options.ts';
import { counted, inUtc } from '../output/wording.ts';
import { requireTask } from './tasks.ts';

interface SkipOptions {
  next: number;
  note?: string;
}

const MOST = 1000;

/** `tasks skip`: a pause that ends right after the last of the next occurrences. */
export function addTaskSkip(tasks: Command, context: Context): void {
  tasks
    .command('skip')
    .description('skip the next occurrences of a task; each is in the ledger. `tasks resume` ends this')
    .argument('<name>', 'name of the task')
    .option('--next <n>', 'how many, 1 to 1000', readCount('--next', 1, MOST), 1)
    .option('--note <text>', 'why; shown with every skipped run')
    .action((name: string, options: SkipOptions) => skip(name, options, context));
}

async function skip(name: string, { next: count, note }: SkipOptions, context: Context): Promise<void> {
  const skipped = await withDatabase(context, async (db) => {
    const task = await requireTask(db, name);
    const occurrences = await nextToRun(db, task, count, context.clock.now());
    const last = occurrences.at(-1);
    if (!last || occurrences.length < count) throw tooFew(name, count, occurrences.length);
    const words = note ?? `the next ${counted(count, 'occurrence')} skipped`;
    await pauseTask(db, { name, untilAt: new Date(last.getTime() + 1), note: words, who: whoAsks() });
    return occurrences;
  });
  context.output.result({ name, skipped }, () => [
    `${name} skips ${counted(count, 'occurrence')}: ${skipped.slice(0, 5).map(inUtc).join(', ')}${count > 5 ? ', ...' : ''}`,
  ]);
}

/** The next occurrences that no calendar leaves out and no pause skips already. */
async function nextToRun(db: Database, task: Task, count: number, now: Date): Promise<Date[]> {
  const { kind } = task.definition.schedule;
  // Counted from the end of a run: only the next one is known.
  if (kind === 'fixed-delay') return task.nextStartAt ? [task.nextStartAt] : [];
  const { next, excluded } = await readOccurrences(db, task.definition);
  const found: Date[] = [];
  let at = next(now);
  for (let looked = 0; at && found.length < count && looked < 10 * MOST; looked++, at = next(at))
    if (excluded(at) === null && !isPaused(task.pauses, at)) found.push(at);
  return found;
}

function isPaused(pauses: readonly PauseWindow[], at: Date): boolean {
  return pauses.some(({ fromAt, untilAt }) => fromAt <= at && (untilAt === null || at < untilAt));
}

function tooFew(name: string, wanted: number, found: number): EscapementError {
  return new EscapementError('too_few_occurrences', `${name} has ${found} occurrences to skip, not ${wanted}`, {
    fix: 'see `escapement next --task`; a pause skips whatever falls due until it is ended',
  });
}
