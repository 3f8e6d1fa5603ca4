import { visibleJson, visibleLine } from '@escapement/core';

const COLORS: Record<string, string> = { debug: '\x1b[2m', warn: '\x1b[33m', error: '\x1b[31m', fatal: '\x1b[31m' };
const DIM = '\x1b[2m';
const RESET = '\x1b[0m';

/** Said by the columns before, or of no interest to a person who watches. */
const NOT_SHOWN = new Set(['level', 'time', 'service', 'instance', 'who', 'msg', 'err']);

/** A JSON log line as a person reads it: `12:00:01.234 info  planner    planned runs  count=5`; a stack on lines of its own. */
export function prettyLine(line: string, colors: boolean): string {
  const record = readRecord(line);
  if (!record) return line;
  const level = String(record.level);
  const paint = (color: string | undefined, text: string) =>
    colors && color && text ? `${color}${text}${RESET}` : text;
  const who = visibleLine(String(record.who ?? record.service ?? '')).padEnd(10);
  const head = `${paint(DIM, timeOfDay(record.time))} ${paint(COLORS[level], level.padEnd(5))} ${who}`;
  const fields = [...fieldTexts(record), ...errorTexts(record.err)].join(' ');
  const text = [head, visibleLine(String(record.msg ?? '')), paint(DIM, fields)].filter(Boolean).join(' ');
  return `${text}\n${paint(DIM, stackText(level, record.err))}`;
}

function readRecord(line: string): Record<string, unknown> | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return isRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Local, since the person who watches has a clock on the wall. */
function timeOfDay(time: unknown): string {
  const at = new Date(String(time));
  if (Number.isNaN(at.getTime())) return '--:--:--.---';
  const part = (value: number, width = 2) => String(value).padStart(width, '0');
  return `${part(at.getHours())}:${part(at.getMinutes())}:${part(at.getSeconds())}.${part(at.getMilliseconds(), 3)}`;
}

function fieldTexts(record: Record<string, unknown>): string[] {
  return Object.entries(record)
    .filter(([name, value]) => !NOT_SHOWN.has(name) && value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${valueText(value)}`);
}

function errorTexts(err: unknown): string[] {
  return isRecord(err) ? [`err=${valueText(String(err.message ?? err.type))}`] : [];
}

function valueText(value: unknown): string {
  if (typeof value !== 'string') return visibleJson(JSON.stringify(value));
  return /^[^\s"=\p{Cc}\p{Cf}]+$/u.test(value) ? value : visibleJson(JSON.stringify(value));
}

/** A bare warning says enough by its message; an error is worth its stack. */
function stackText(level: string, err: unknown): string {
  if ((level !== 'error' && level !== 'fatal') || !isRecord(err) || typeof err.stack !== 'string') return '';
  return err.stack
    .split('\n')
    .map((frame) => `    ${visibleLine(frame.trim())}\n`)
    .join('');
}
