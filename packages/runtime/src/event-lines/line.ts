import type { EngineEvent } from '@escapement/core';

/** A line of the log. */
export interface Line {
  level: 'debug' | 'info' | 'warn' | 'error';
  fields: Record<string, unknown>;
  message: string;
}

/** The line of an event, with these of its fields. */
export function line<Event extends EngineEvent>(
  level: Line['level'],
  event: Event,
  message: string,
  keys: (keyof Event)[],
): Line {
  return { level, message, fields: Object.fromEntries(keys.map((key) => [key, event[key]])) };
}
