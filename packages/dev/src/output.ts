import type { Readable } from 'node:stream';

const WIDTH = 'scheduler'.length;
const COLORS: Record<string, string> = { dev: '\x1b[36m', scheduler: '\x1b[35m', worker: '\x1b[32m' };

// A closed terminal must not keep the runner from stopping its children.
process.stdout.on('error', () => undefined);

/** Prints a line, headed by who says it. */
export function say(who: string, line: string): void {
  const name = who.padEnd(WIDTH);
  const color = process.stdout.isTTY && process.stdout.hasColors() ? COLORS[who] : undefined;
  process.stdout.write(`${color ? `${color}${name} |\x1b[0m` : `${name} |`} ${line}\n`);
}

/** Prints each line of a stream in the same way. */
export function sayLines(who: string, stream: Readable): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) say(who, line);
  });
  stream.on('end', () => {
    if (rest) say(who, rest);
  });
}
