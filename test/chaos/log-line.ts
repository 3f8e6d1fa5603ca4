import { z } from 'zod';
import type { LogLine } from './evidence.ts';

const logLine = z.object({
  time: z.iso.datetime(),
  level: z.enum(['debug', 'info', 'warn', 'error', 'fatal']),
  msg: z.string(),
  err: z.object({ message: z.string() }).optional(),
});

/** Lines that are not the logger's, such as Node's own warnings, are left out. */
export function toLogLine(text: string): LogLine[] {
  const parsed = logLine.safeParse(tryJson(text));
  if (!parsed.success) return [];
  const { time, level, msg, err } = parsed.data;
  return [{ atMs: Date.parse(time), level, message: err ? `${msg}: ${err.message}` : msg }];
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
