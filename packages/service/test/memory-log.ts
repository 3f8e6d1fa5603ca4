import { createLogger, type LoggerOptions, type ProcessLogger } from '../src/logger.ts';

export type Line = Record<string, unknown> & { level: string; msg: string };

/** A logger that keeps its lines for the test to read. */
export function createMemoryLog(options: Partial<LoggerOptions> = {}): {
  log: ProcessLogger;
  lines: Line[];
  texts: string[];
} {
  const lines: Line[] = [];
  const texts: string[] = [];
  const output = {
    isTTY: false,
    write(line: string) {
      texts.push(line);
      if (options.format !== 'pretty') lines.push(JSON.parse(line));
    },
  };
  const log = createLogger({ service: 'test', instance: 'here:1', level: 'debug', output, ...options });
  return { log, lines, texts };
}
