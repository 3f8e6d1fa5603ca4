import { hostname } from 'node:os';
import { type Clock, systemClock } from '@escapement/core';
import { maskText, maskWith } from '@escapement/core/mask';
import pino from 'pino';
import { errorFields } from './log-error.ts';
import { createLogLimit, summaryText } from './log-limit.ts';
import { type LogOutput, standardOutput } from './log-output.ts';
import { prettyLine } from './log-pretty.ts';
import type { Timer } from './timer.ts';

/** What a line says besides its message; ids and figures belong here, so that the message stays the same and can be counted. */
export type LogFields = Record<string, unknown>;

/** Writes lines. An error goes under `err`, the part of the program under `who`. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** For the last line of a process; never held back. */
  fatal(fields: LogFields, message: string): void;
  /** A logger whose lines all have these fields. */
  child(fields: LogFields): Logger;
}

export interface ProcessLogger extends Logger {
  /**
   * Writes what is held back or under way, for the end of the process. Resolves when it is written, or after
   * 1 s if nobody reads it.
   */
  end(): Promise<void>;
}

export interface LoggerOptions {
  /** The program: `scheduler`, `worker`, ... */
  service: string;
  /** Which process of them. Default: host name and process id. */
  instance?: string;
  /** The least level written. Default `info`. */
  level?: 'debug' | 'info' | 'warn' | 'error';
  /** Default `json`. */
  format?: 'json' | 'pretty';
  /** False: no colours, even on a terminal. Default true. */
  color?: boolean;
  /** Values that must not show in any line. Default none. */
  secrets?: readonly string[];
  /** Default: standard output. */
  output?: LogOutput;
  clock?: Clock;
  timer?: Timer;
}

const WARN = 40;
const FATAL = 60;

/**
 * The logger of a process: JSON or readable lines, passwords in URLs and the given secrets masked. Warnings and errors share
 * 10 lines in any second, at most 5 of them with the same message (I11); the rest is counted and summed up.
 */
export function createLogger(options: LoggerOptions): ProcessLogger {
  const output = options.output ?? standardOutput();
  const destination = { write: lineWriter(options, output) };
  const plain = pino(pinoOptions(options), destination);
  const limit = createLogLimit({
    perKey: 5,
    summarise: (held) => plain.warn({ who: 'log', heldBack: held.byKey }, summaryText(held)),
    ...(options.clock && { clock: options.clock }),
    ...(options.timer && { timer: options.timer }),
  });
  const limited = pino(
    {
      ...pinoOptions(options),
      hooks: {
        logMethod(args, method, level) {
          const write = () => method.apply(this, args);
          if (level < WARN || level >= FATAL) write();
          else limit.log(likeness(args), write);
        },
      },
    },
    destination,
  );
  const end = async () => {
    limit.flush();
    await output.end?.();
  };
  return Object.assign(limited, { end });
}

function pinoOptions({ service, instance, level = 'info', clock = systemClock }: LoggerOptions): pino.LoggerOptions {
  return {
    level,
    base: { service, instance: instance ?? `${hostname()}:${process.pid}` },
    timestamp: () => `,"time":"${clock.now().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: (error: unknown) => errorFields(error) },
  };
}

function lineWriter(
  { format = 'json', color = true, secrets = [] }: LoggerOptions,
  output: LogOutput,
): (line: string) => void {
  const masked = (line: string) => maskText(maskWith(secrets, line));
  if (format === 'json') return (line) => output.write(masked(line));
  const colors = color && output.isTTY === true;
  return (line) => output.write(prettyLine(masked(line), colors));
}

/** What makes lines alike: the message but for its figures, and the code of the error if it has one. */
function likeness(args: readonly unknown[]): string {
  const [fields, message] = args;
  const code = codeOf(fields);
  return `${String(message).replace(/\d+([.,]\d+)*/g, '#')}${code ? ` (${code})` : ''}`;
}

function codeOf(fields: unknown): string | undefined {
  if (typeof fields !== 'object' || fields === null || !('err' in fields)) return undefined;
  const { err } = fields;
  return typeof err === 'object' && err !== null && 'code' in err ? String(err.code) : undefined;
}
