import { type AttemptEnd, type Clock, type Emit, LEAST_BREAK_MS } from '@escapement/core';
import type { BegunRun, TaskVersion } from '@escapement/store';
import type { OpenRunLog } from './run-log-writer.ts';

/** Says of a run that it has asked for its next run at a date that has passed: in the log of each, and once of a task in that of the worker. */
export type NoteNext = (called: { run: BegunRun; task: TaskVersion; end: AttemptEnd; log: OpenRunLog }) => void;

export function createNoteNext({ clock, emit }: { clock: Clock; emit: Emit }): NoteNext {
  const reported = new Set<string>();
  return ({ run, task, end, log }) => {
    const at = nextOf(end);
    if (!at || at > clock.now()) return;
    log.write(
      `asked for its next run at ${at.toISOString()}, which has passed: it follows ${LEAST_BREAK_MS / 1000} s after this one\n`,
    );
    if (reported.has(run.taskId)) return;
    reported.add(run.taskId);
    emit({ event: 'next_has_passed', run: run.runId, task: task.name, at });
  };
}

function nextOf(end: AttemptEnd): Date | null | undefined {
  return end.kind === 'returned' && end.outcome.status === 'succeeded' ? end.outcome.effects?.next : undefined;
}
