import { SECOND } from '@escapement/core';

/** Where lines go. */
export interface LogOutput {
  write(line: string): void;
  /** Resolves when all lines are written, or are given up. */
  end?(): Promise<void>;
  /** Whether a terminal shows them: colours only there. */
  isTTY?: boolean;
}

/** Kept of what nobody reads; a log reader that is stuck must neither stop the process nor fill its memory (I11). */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

/**
 * Standard output. Lines that do not fit the buffer are dropped, and counted once there is room.
 *
 * Not pino's own destination: its write blocks a thread of the pool on a full pipe, or turns in a loop at exit,
 * and either keeps `process.exit` from ending the process.
 */
export function standardOutput(): LogOutput {
  const stream = process.stdout;
  let dropped = 0;
  let closed = false;
  stream.on('error', () => {
    // The reader is gone. A service outlives whoever watches it.
    closed = true;
  });
  stream.on('drain', () => {
    if (dropped === 0) return;
    stream.write(
      `${JSON.stringify({ level: 'warn', who: 'log', dropped, msg: 'lines dropped: nobody read them in time' })}\n`,
    );
    dropped = 0;
  });
  return {
    write(line) {
      if (closed) return;
      if (stream.writableLength < MAX_BUFFERED_BYTES) stream.write(line);
      else dropped += 1;
    },
    end: () => within(SECOND, (done) => (closed ? done() : stream.write('', done))),
    isTTY: stream.isTTY === true,
  };
}

function within(ms: number, wait: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(resolve, ms);
    wait(() => {
      clearTimeout(giveUp);
      resolve();
    });
  });
}
