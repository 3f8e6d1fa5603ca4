import { requireRun } from '@escapement/operations';
import { logStream } from '../../events/log-stream.ts';
import { eventAnswer, lastEventId } from '../../http/event-stream.ts';
import { textRoute } from '../../http/route.ts';
import { countedReader, requireRoomForReader } from './log-readers.ts';
import { aboutRun, pause, theRun } from './run-of.ts';

export const watchRunLog = textRoute({
  ...aboutRun,
  id: 'watchRunLog',
  method: 'GET',
  path: '/v1/runs/:id/log/events',
  summary: 'What a run writes, as it writes it (server-sent events).',
  description:
    '`log`: a piece of the log. `skipped`: so many lines were left out, since more than 256 KiB were waiting. `end`: the run has ended. `keep-alive`: nothing for 15 s. With `Last-Event-ID` it goes on where a connection was cut, at any replica.',
  headers: { 'Last-Event-ID': 'Go on behind the event of this id.' },
  right: 'read-payload',
  on: theRun,
  audit: null,
  answer: 'text/event-stream',
  handle: async (asked) => {
    requireRoomForReader();
    const { db, params, signal, renew, clock } = asked;
    const [last, attempt, seq] = lastEventId(asked, /^(\d{1,6})-(\d{1,9})$/) ?? [];
    const after = last === undefined ? null : { attempt: Number(attempt), seq: Number(seq) };
    const { id } = await requireRun(db, params.id);
    return eventAnswer(
      countedReader(logStream(db, id, { after, signal, renew, clock, pause: () => pause(signal) })),
      asked,
    );
  },
});
