import { tooManyWatch } from '../../http/too-many-watch.ts';

/** Logs that are followed at one process at a time, as events or as text: each costs Postgres eight queries a second. */
const MOST_READERS = 100;

let readers = 0;

/** Throws `ProblemError` (`too_many_watch`). */
export function requireRoomForReader(): void {
  if (readers >= MOST_READERS) throw tooManyWatch(`${MOST_READERS} clients follow logs at this server already`);
}

/** The same, counted as long as it is read. */
export async function* countedReader(log: AsyncGenerator<string>): AsyncGenerator<string> {
  readers++;
  try {
    yield* log;
  } finally {
    readers--;
  }
}
