import { SECOND } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import { labelsSeen } from '@escapement/operations';
import { type Database, selectTasks } from '@escapement/store';
import { z } from 'zod';
import { TOPICS } from '../events/changes.ts';
import { eventStream, type StreamOptions } from '../events/stream.ts';
import { eventAnswer, lastEventId } from '../http/event-stream.ts';
import { type RequestContext, textRoute } from '../http/route.ts';
import { tooManyWatch } from '../http/too-many-watch.ts';

/** Clients of one process. */
const MOST_CLIENTS = 1000;
/** What somebody may see is asked anew after so long. */
const SEEN_FOR_MS = 5 * SECOND;

const query = z.strictObject({
  topics: z
    .string()
    .default(TOPICS.join(','))
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(TOPICS)))
    .meta({ description: `With commas between: ${TOPICS.join(', ')}. Default: all.` }),
  task: z.string().max(250).optional().meta({ description: 'Only what is about the task of this name.' }),
});

export const watchEvents = textRoute({
  id: 'watchEvents',
  method: 'GET',
  path: '/v1/events',
  tag: 'events',
  summary: 'What changes, as it changes (server-sent events).',
  description:
    '`runs`: how runs stand that have begun or ended. `actions`: what somebody did to what. `alerts`, `fleet`, `crontabs`: read them again. `resync`: read all again. `keep-alive`: nothing for 15 s. With `Last-Event-ID` it goes on where a connection was cut, at any replica.',
  headers: { 'Last-Event-ID': 'Go on behind the event of this id.' },
  right: 'read',
  on: () => 'some' as const,
  audit: null,
  query,
  answer: 'text/event-stream',
  handle: async (asked) => {
    const { feed, query, signal, renew, clock } = asked;
    if (feed.size >= MOST_CLIENTS) throw tooManyWatch(`${MOST_CLIENTS} clients watch this server already`);
    const [after] = lastEventId(asked, /^\d{1,15}$/) ?? [];
    const stream = eventStream({
      ...{ feed, signal, renew, clock, task: query.task },
      after: after === undefined ? null : Number(after),
      topics: new Set(query.topics),
      sees: seesOf(asked),
    });
    return eventAnswer(stream, asked);
  },
});

/** The names of the tasks that somebody may see, a moment ago; undefined: all. */
function seesOf({ db, by, clock }: RequestContext): StreamOptions['sees'] {
  const labels = labelsSeen(db, by());
  if (!labels) return undefined;
  let names: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  let readMs = Number.NEGATIVE_INFINITY;
  return (): Promise<ReadonlySet<string>> => {
    if (clock.monotonicMs() - readMs >= SEEN_FOR_MS) {
      readMs = clock.monotonicMs();
      names = namesOf(db, labels);
    }
    return names;
  };
}

async function namesOf(db: Database, labels: LabelFilter): Promise<ReadonlySet<string>> {
  return new Set((await selectTasks(db, { labels })).map(({ name }) => name));
}
