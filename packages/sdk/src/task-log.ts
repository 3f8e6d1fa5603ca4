import type { Clock, RunLog } from '@escapement/core';
import type { LogFields, TaskLog } from './task-context.ts';

/** A task's log over a run's: one line a call, with time and level. */
export function createTaskLog(log: RunLog, clock: Clock): TaskLog {
  const line = (level: string) => (message: string, fields?: LogFields) =>
    log.write(`${clock.now().toISOString()} ${level} ${message}${formatFields(fields)}\n`);
  return {
    debug: line('DEBUG'),
    info: line('INFO '),
    warn: line('WARN '),
    error: line('ERROR'),
    write: (text) => log.write(text),
  };
}

function formatFields(fields: LogFields | undefined): string {
  if (fields === undefined) return '';
  try {
    return ` ${JSON.stringify(fields, (_, value: unknown) => showable(value))}`;
  } catch (error) {
    return ` [fields cannot be shown: ${error instanceof Error ? error.message : 'not JSON'}]`;
  }
}

function showable(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
