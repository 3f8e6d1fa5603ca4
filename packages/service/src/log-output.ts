import { SECOND } from '@escapement/core';
import pino from 'pino';

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

/** Standard output, written in the background. Lines that do not fit the buffer are dropped, and counted once there is room. */
export function standardOutput(): LogOutput {
  const stream = pino.destination({ dest: 1, sync: false, maxLength: MAX_BUFFERED_BYTES });
  let dropped = 0;
  stream.on('drop', () => {
    dropped += 1;
  });
  stream.on('drain', () => {
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    stream.write(
      `${JSON.stringify({ level: 'warn', who: 'log', dropped: count, msg: 'lines dropped: nobody read them' })}\n`,
    );
  });
  return {
    write: (line) => {
      stream.write(line);
    },
    isTTY: process.stdout.isTTY === true,
    end: () =>
      new Promise((resolve) => {
        // At exit the stream writes its rest synchronously, which would hang for ever if nobody reads.
        const giveUp = setTimeout(() => {
          stream.destroy();
          resolve();
        }, SECOND);
        stream.flush(() => {
          clearTimeout(giveUp);
          resolve();
        });
      }),
  };
}
