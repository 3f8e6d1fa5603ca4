import { EscapementError, type Json, readInstant } from '@escapement/core';
import { editDefinition } from '@escapement/operations';
import { systemZone } from '../output/wording.ts';
import { readAssignment } from './assignment.ts';

/** A task as the options of `tasks add` say it. */
export interface NewTask {
  description?: string;
  cron?: string;
  tz?: string;
  everyMs?: number;
  at?: string;
  http?: string;
  key?: string;
  pool?: string;
  runOn?: string;
  label: Record<string, string>;
  payload?: Json;
  overlap?: string;
  timeoutMs?: number;
  attempts?: number;
  pauseAfterFailures?: number;
  /** The rest, by path. */
  set: string[];
}

/** The definition as a file would have it. Throws `bad_new_task`, `bad_instant`, `bad_assignment`; what is in it is judged elsewhere. */
export function newTask(name: string, command: readonly string[], options: NewTask, now: Date): unknown {
  const { description, http, key, pool, runOn, label, payload, overlap, timeoutMs, attempts, pauseAfterFailures, set } =
    options;
  const definition = {
    name,
    description,
    labels: Object.keys(label).length > 0 ? label : undefined,
    schedule: scheduleOf(options, now),
    handler: handlerOf(command, http),
    payload,
    key,
    pool,
    runOn,
    overlap: overlap === undefined ? undefined : { policy: overlap },
    timeoutMs,
    retry: attempts === undefined ? undefined : { maxAttempts: attempts },
    pauseAfterFailures,
  };
  const given = Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined));
  return editDefinition(given, set.map(readAssignment));
}

function scheduleOf({ cron, everyMs, at, tz }: NewTask, now: Date): object | undefined {
  const given = [cron, everyMs, at].filter((each) => each !== undefined);
  if (given.length > 1) throw bad('more than one of --cron, --every and --at is given', 'give one of them');
  if (cron !== undefined) return { kind: 'cron', expression: cron, timeZone: tz ?? systemZone() };
  if (at !== undefined) {
    const instant = readInstant(at, { what: '--at', now, spans: 'ahead', timeZone: tz ?? systemZone() });
    return { kind: 'once', at: instant.toISOString() };
  }
  if (tz !== undefined)
    throw bad('--tz is given without --cron or --at', 'leave it out: nothing else goes by a local time');
  return everyMs === undefined ? undefined : { kind: 'every', everyMs };
}

/** One word is a line for the shell, as cron has it; several are a program and its arguments. */
function handlerOf(command: readonly string[], http: string | undefined): object {
  const [first, ...more] = command;
  if (http !== undefined && first !== undefined)
    throw bad('both --http and a command are given', 'make a task of each');
  if (http !== undefined) return { type: 'http', url: http };
  if (first === undefined)
    throw bad('it is not said what the task runs', 'put the command at the end, after --, or give --http URL');
  return more.length === 0 ? { type: 'shell', command: first } : { type: 'shell', argv: [...command] };
}

function bad(message: string, fix: string): EscapementError {
  return new EscapementError('bad_new_task', message, { fix });
}
