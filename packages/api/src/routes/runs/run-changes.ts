import { SECOND } from '@escapement/core';
import { type EndedRun, endedRuns, heldByWorkers, runsAmong } from '@escapement/store';
import { z } from 'zod';
import { cursorOf, placeOf } from '../../http/cursor.ts';
import { route } from '../../http/route.ts';
import { runState } from '../../schemas/run.ts';
import { afterIn, instantIn } from '../../schemas/values.ts';
import { aboutRuns, filterOf, runsAsked } from './runs-asked.ts';

/** An end is written with its time, and seen once it is committed: so long after that at most. */
const COMMITTED_WITHIN_MS = 5 * SECOND;
const PAGE = 1000;

const place = z.object({
  /** When it was asked for the first time: what has ended before is not told. */
  start: instantIn,
  since: instantIn,
  /** Within a look: when it began, and the last run that was told. */
  page: z.object({ now: instantIn, last: z.object({ id: z.uuid(), finishedAt: instantIn }) }).optional(),
});
type Place = z.output<typeof place>;

/** How a run stands. */
const status = z.object({ id: z.string(), state: runState, attempt: z.int() }).meta({ id: 'RunStatus' });

export const listRunChanges = route({
  ...aboutRuns,
  id: 'listRunChanges',
  // Where the next answer goes on is a time of Postgres': two servers have two clocks.
  fromPrimary: true,
  method: 'GET',
  path: '/v1/runs/changes',
  summary: 'Runs that have begun or ended since the answer before, as they stand now; none of them is missed.',
  description:
    'Without `after` there are none, and `next` is where to go on. A run may come again as it was told before. `ids` of `GET /v1/runs` has more of them.',
  query: z.strictObject({ ...runsAsked, after: afterIn }),
  answer: z
    .object({
      items: z.array(status),
      next: z.string().meta({ description: 'For `after`, in a second or so; at once where there is more.' }),
      more: z.boolean(),
    })
    .meta({ id: 'RunChanges' }),
  handle: async (asked) => {
    const { db, deadMs, query } = asked;
    const { now, ids } = await heldByWorkers(db, deadMs);
    if (query.after === undefined) return { items: [], next: cursorOf({ start: now, since: now }), more: false };
    const from = placeOf(place, query.after);
    const filter = filterOf(asked);
    const held = from.page ? [] : await runsAmong(db, filter, ids);
    const ended = await endedRuns(db, filter, { since: from.since, after: from.page?.last, limit: PAGE });
    const items = [...held, ...ended].map(({ id, state, attempt }) => ({ id, state, attempt }));
    return { items, ...behind(from, ended, from.page?.now ?? now) };
  },
});

/** Where the next answer goes on: behind a full page, else with the next look. */
function behind({ start, since }: Place, ended: readonly EndedRun[], now: Date): { next: string; more: boolean } {
  const last = ended.length === PAGE ? ended.at(-1) : undefined;
  if (last) {
    const { id, finishedAt } = last;
    return { next: cursorOf({ start, since, page: { now, last: { id, finishedAt } } }), more: true };
  }
  const seen = new Date(Math.max(start.getTime(), now.getTime() - COMMITTED_WITHIN_MS));
  return { next: cursorOf({ start, since: seen }), more: false };
}
