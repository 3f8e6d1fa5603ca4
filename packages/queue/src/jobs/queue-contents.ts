import { answered, openOf, type RedisConnection } from '../redis/connection.ts';
import { parseInfo } from '../redis/inspect.ts';
import { bundleKeys, markerKey, parseRunJobId, queueBase, runJobId } from '../redis/keys.ts';
import { createBundleMembers, JOBS_OF, RUNS_OF } from './bundle-members.ts';
import { chunksByQueue } from './chunks-by-queue.ts';
import { createQueueBlocks, type QueueBlocks } from './queue-blocks.ts';
import type { RunRef } from './run-job.ts';

/** Where a run's job is. */
export type JobPlace =
  | { at: 'waiting' }
  | { at: 'delayed'; untilMs: number }
  /** A worker has taken it, at that instant of the worker's clock. */
  | { at: 'taken'; since: Date }
  /** Redis knows the job but has it in no list: no worker will ever get it. */
  | { at: 'nowhere' }
  | { at: 'gone' };

/** A place in the lists of a queue. */
export interface ContentsCursor {
  list: List;
  from: number;
}

/** What a worker takes from first comes first. */
const LISTS = ['wait', 'prioritized', 'delayed'] as const;

type List = (typeof LISTS)[number];

/** What Redis holds, for comparing it with the ledger. Everything rejects with `redis_unreachable` in time. */
export interface QueueContents extends QueueBlocks {
  /** Leaves a marker and says what the marker was before (null: none) and which server answered. */
  replaceMarker(marker: string): Promise<{ found: string | null; server: string }>;
  places(refs: readonly RunRef[]): Promise<JobPlace[]>;
  /**
   * The runs of a queue whose jobs no worker has taken, a page after the other; those that move meanwhile may be left
   * out or come twice. A page may be longer than `limit` by the runs of one bundle. `next` undefined: that was the end.
   * Jobs that are not ours are left out.
   */
  page(queue: string, cursor: ContentsCursor | undefined, limit: number): Promise<ContentsPage>;
  /** Takes out a part of what bundles that are gone have left. */
  tidy(queue: string): Promise<void>;
}

export interface ContentsPage {
  jobs: RunRef[];
  next: ContentsCursor | undefined;
}

/** Jobs of one script call: each costs Redis about 2 us. */
const CHUNK = 250;

export function createQueueContents(connection: RedisConnection): QueueContents {
  const { client } = openOf(connection);
  const { namespace } = connection;
  const members = createBundleMembers(client, namespace);

  async function placesIn(queue: string, refs: readonly RunRef[]): Promise<JobPlace[]> {
    const base = queueBase(namespace, queue);
    const lists = ['wait', 'active', 'delayed', 'prioritized'].map((list) => `${base}:${list}`);
    const keys = [`${base}:`, ...lists, bundleKeys(namespace, queue).members];
    const ids = refs.map(({ runId, dispatch }) => runJobId(runId, dispatch));
    // No command of its own: one that is defined while others are being gathered breaks ioredis' auto-pipelining.
    const replies = await answered(connection, client.eval(PLACES, keys.length, ...keys, ...ids));
    return Array.isArray(replies) ? replies.map((reply) => toPlace(String(reply))) : [];
  }

  return {
    ...createQueueBlocks(connection),
    async replaceMarker(marker) {
      const [found, info] = await answered(
        connection,
        Promise.all([client.getset(markerKey(namespace), marker), client.info('server')]),
      );
      return { found, server: parseInfo(info).get('run_id') ?? 'unknown' };
    },
    async places(refs) {
      const found = new Map<RunRef, JobPlace>();
      for (const [queue, chunk] of chunksByQueue(refs, CHUNK)) {
        const places = await placesIn(queue, chunk);
        for (const [index, ref] of chunk.entries()) found.set(ref, places[index] ?? { at: 'gone' });
      }
      return refs.map((ref) => found.get(ref) ?? { at: 'gone' });
    },
    async page(queue, cursor, limit) {
      const { list, from } = cursor ?? { list: 'wait', from: 0 };
      const base = queueBase(namespace, queue);
      const keys = [`${base}:`, bundleKeys(namespace, queue).members, `${base}:${list}`];
      const command = list === 'wait' ? 'LRANGE' : 'ZRANGE';
      const reply = await answered(connection, client.eval(PAGE, keys.length, ...keys, command, from, limit));
      const [looked = 0, isEnd = 1, ...ids] = Array.isArray(reply) ? reply : [];
      const jobs = ids.flatMap((id) => {
        const job = parseRunJobId(String(id));
        return job ? [{ queue, ...job }] : [];
      });
      if (Number(isEnd) === 0) return { jobs, next: { list, from: from + Number(looked) } };
      const nextList = LISTS[LISTS.indexOf(list) + 1];
      return { jobs, next: nextList && { list: nextList, from: 0 } };
    },
    tidy: (queue) => answered(connection, members.tidy(queue)),
  };
}

// Of a long list only the end is looked at, which is taken first: what is overdue the most should be there. A job that
// is not counts as waiting until the list has become shorter. Each list is asked once for all runs.
const PLACES = `${JOBS_OF}
local function setOf(ids)
  local set = {}
  for _, id in ipairs(ids) do set[id] = true end
  return set
end
local jobs, named = jobsOf(ARGV, KEYS[6]), {}
for i, job in ipairs(jobs) do named[i] = job or '' end
local tail = 2000
local waits = setOf(redis.call('LRANGE', KEYS[2], -tail, -1))
local isLong = redis.call('LLEN', KEYS[2]) > tail
local taken = setOf(redis.call('LRANGE', KEYS[3], 0, -1))
local delayed = redis.call('ZMSCORE', KEYS[4], unpack(named))
local prioritized = redis.call('ZMSCORE', KEYS[5], unpack(named))
local places = {}
for i, job in ipairs(jobs) do
  if not job then
    places[i] = 'gone'
  elseif delayed[i] then
    places[i] = 'delayed ' .. string.format('%.0f', math.floor(tonumber(delayed[i]) / 4096))
  elseif taken[job] then
    places[i] = 'taken ' .. (redis.call('HGET', KEYS[1] .. job, 'processedOn') or '0')
  elseif waits[job] or isLong or prioritized[i] then
    places[i] = 'waiting'
  else
    places[i] = 'nowhere'
  end
end
return places`;

// Whether it is the end of the list is said apart: jobs that are not ours count, too.
const PAGE = `${RUNS_OF}
local from, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
local jobs = redis.call(ARGV[1], KEYS[3], from, from + limit - 1)
local page, looked = { 0, 0 }, 0
for _, id in ipairs(jobs) do
  if #page - 2 >= limit then break end
  looked = looked + 1
  if string.sub(id, 1, 2) == 'b_' then
    for _, run in ipairs(runsIn(id, KEYS[2])) do page[#page + 1] = run end
  else
    page[#page + 1] = id
  end
end
page[1] = looked
if looked < limit and looked == #jobs then page[2] = 1 end
return page`;

function toPlace(reply: string): JobPlace {
  const [at = '', value = ''] = reply.split(' ');
  switch (at) {
    case 'waiting':
    case 'nowhere':
      return { at };
    case 'delayed':
      return { at, untilMs: Number(value) };
    case 'taken':
      return { at, since: new Date(Number(value)) };
    default:
      return { at: 'gone' };
  }
}
