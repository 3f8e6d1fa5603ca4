import { setTimeout as sleep } from 'node:timers/promises';
import { requireRun } from '@escapement/operations';
import { type LogPlace, logStream } from '../../events/log-stream.ts';
import { ProblemError } from '../../http/problem.ts';
import { textRoute } from '../../http/route.ts';
import { tooManyWatch } from '../../http/too-many-watch.ts';
import { aboutRun, theRun } from './run-of.ts';

/** Between two looks at a run that goes on. */
const LOOK_EVERY_MS = 250;
/** Logs that are read from one process at a time: each costs Postgres eight queries a second. */
const MOST_READERS = 100;

let readers = 0;

export const watchRunLog = textRoute({
  ...aboutRun,
  id: 'watchRunLog',
  method: 'GET',
  path: '/v1/runs/:id/log/events',
  summary: 'What a run writes, as it writes it (server-sent events).',
  description:
    '`log`: a piece of the log. `skipped`: so many lines were left out, since more than 256 KiB were waiting. `end`: the run has ended. `heartbeat`: nothing for 15 s. With `Last-Event-ID` it goes on where a connection was cut, at any replica.',
  right: 'read-payload',
  on: theRun,
  audit: null,
  answer: 'text/event-stream',
  handle: async ({ db, params, headers, header, signal, renew }) => {
    if (readers >= MOST_READERS) throw tooManyWatch(`${MOST_READERS} clients follow logs at this server already`);
    const { id } = await requireRun(db, params.id);
    // A proxy that gathers an answer would keep events from their reader.
    header('x-accel-buffering', 'no');
    const pause = () => sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    return {
      contentType: 'text/event-stream; charset=utf-8',
      text: counted(logStream(db, id, { after: placeOf(headers['last-event-id']), signal, renew, pause })),
    };
  },
});

async function* counted(stream: AsyncGenerator<string>): AsyncGenerator<string> {
  readers++;
  try {
    yield* stream;
  } finally {
    readers--;
  }
}

/** Null: it begins with the log. Throws `ProblemError` (`bad_request`). */
function placeOf(given: string | string[] | undefined): LogPlace | null {
  if (given === undefined || given === '') return null;
  const [, attempt, seq] = /^(\d{1,6})-(\d{1,9})$/.exec(String(given)) ?? [];
  if (attempt !== undefined && seq !== undefined) return { attempt: Number(attempt), seq: Number(seq) };
  throw new ProblemError({
    status: 400,
    code: 'bad_request',
    detail: 'Last-Event-ID is no place of this log',
    errors: [{ in: 'header', path: 'Last-Event-ID', message: 'expected the id of an event as it was told' }],
  });
}
