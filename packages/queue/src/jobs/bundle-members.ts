import type { Redis } from 'ioredis';
import { bundleKeys, queueBase, runJobId } from '../redis/keys.ts';
import type { JobBatch } from './job-batches.ts';
import type { RunRef } from './run-job.ts';

/**
 * Which bundle a run is in. Written before the bundle's job is added: an entry whose bundle is gone says nothing, and
 * is taken out some time. All functions reject as the connection does.
 */
export interface BundleMembers {
  /** Enters the runs of bundles. Returns the bundles without the runs that Redis holds already. */
  enter(queue: string, bundles: readonly JobBatch[]): Promise<JobBatch[]>;
  /** Whether Redis holds each run's job, or that of its bundle. */
  present(queue: string, refs: readonly RunRef[]): Promise<boolean[]>;
  /** Takes runs out of bundles that no worker has, and tells which of them it was and which bundles are empty now. */
  takeOut(queue: string, refs: readonly RunRef[]): Promise<{ taken: boolean[]; empty: string[] }>;
  /** Takes out runs that a worker has dealt with. `over`: there is nothing left of the bundle. */
  leave(queue: string, bundle: string, refs: readonly RunRef[], over: boolean): Promise<void>;
  /** By how much there are more runs than jobs. */
  surplus(queue: string): Promise<number>;
  /** Whether jobs wait that no worker has. */
  hasWaiting(queue: string): Promise<boolean>;
  /** Takes out entries whose bundle is gone, a part of them in each call, round and round. */
  tidy(queue: string): Promise<void>;
}

/** Entries of one script call. */
const TIDY = 1000;

export function createBundleMembers(client: Redis, namespace: string): BundleMembers {
  const tidied = new Map<string, string>();

  // No commands of their own: one that is defined while others are being gathered breaks ioredis' auto-pipelining.
  async function call(script: string, queue: string, args: readonly (string | number)[]): Promise<string[]> {
    const base = queueBase(namespace, queue);
    const { members, bundles } = bundleKeys(namespace, queue);
    const reply = await client.eval(script, 4, `${base}:`, members, bundles, `${base}:active`, ...args);
    return Array.isArray(reply) ? reply.map(String) : [];
  }

  return {
    async enter(queue, bundles) {
      const args = bundles.flatMap(({ jobId, runs }) => [jobId, runs.length, ...runs.map(idOf)]);
      const held = new Set(await call(ENTER, queue, args));
      if (held.size === 0) return [...bundles];
      const left = bundles.map(({ jobId, runs }) => ({ jobId, runs: runs.filter((run) => !held.has(idOf(run))) }));
      return left.filter(({ runs }) => runs.length > 0);
    },
    async present(queue, refs) {
      const replies = await call(PRESENT, queue, refs.map(idOf));
      return refs.map((_, index) => replies[index] === '1');
    },
    async takeOut(queue, refs) {
      const replies = await call(TAKE_OUT, queue, refs.map(idOf));
      return { taken: refs.map((_, index) => replies[index] === '1'), empty: replies.slice(refs.length) };
    },
    async leave(queue, bundle, refs, over) {
      await call(LEAVE, queue, [bundle, over ? 1 : 0, ...refs.map(idOf)]);
    },
    async surplus(queue) {
      const { members, bundles } = bundleKeys(namespace, queue);
      const [runs, jobs] = await Promise.all([client.hlen(members), client.scard(bundles)]);
      return Math.max(0, runs - jobs);
    },
    async hasWaiting(queue) {
      const base = queueBase(namespace, queue);
      const counts = await Promise.all([client.llen(`${base}:wait`), client.zcard(`${base}:prioritized`)]);
      return counts.some((count) => count > 0);
    },
    async tidy(queue) {
      const [next = '0'] = await call(TIDY_UP, queue, [tidied.get(queue) ?? '0', TIDY]);
      tidied.set(queue, next);
    },
  };
}

function idOf({ runId, dispatch }: RunRef): string {
  return runJobId(runId, dispatch);
}

// KEYS: what job ids hang below, entries, bundles, the list of what workers have.
const ENTER = `
local held = {}
local at = 1
while at <= #ARGV do
  local bundle, last = ARGV[at], at + 1 + tonumber(ARGV[at + 1])
  local entries = {}
  for i = at + 2, last do
    local other = redis.call('HGET', KEYS[2], ARGV[i])
    if redis.call('EXISTS', KEYS[1] .. ARGV[i]) == 1 or (other and redis.call('EXISTS', KEYS[1] .. other) == 1) then
      held[#held + 1] = ARGV[i]
    else
      entries[#entries + 1] = ARGV[i]
      entries[#entries + 1] = bundle
    end
  end
  if #entries > 0 then
    redis.call('HSET', KEYS[2], unpack(entries))
    redis.call('SADD', KEYS[3], bundle)
  end
  at = last + 1
end
return held`;

/**
 * The job that brings each of some runs: that of its bundle, or its own; false: Redis holds neither. One question is for all of them: it is
 * only divided where some jobs are there and others are not. At most some thousand runs, or Lua has no room for them.
 */
export const JOBS_OF = `
local function existing(jobs)
  local here = {}
  local function look(from, to)
    if from > to then return end
    local found = redis.call('EXISTS', unpack(jobs, from, to))
    if found == to - from + 1 then
      for i = from, to do here[jobs[i]] = true end
    elseif found > 0 then
      local middle = math.floor((from + to) / 2)
      look(from, middle)
      look(middle + 1, to)
    end
  end
  look(1, #jobs)
  return here
end
local function jobsOf(runs, members)
  local bundles = redis.call('HMGET', members, unpack(runs))
  local likely, alone, jobs = {}, {}, {}
  for i, run in ipairs(runs) do likely[i] = KEYS[1] .. (bundles[i] or run) end
  local here = existing(likely)
  for i, run in ipairs(runs) do
    if bundles[i] and not here[likely[i]] then alone[#alone + 1] = KEYS[1] .. run end
  end
  local hereAlone = existing(alone)
  for i, run in ipairs(runs) do
    jobs[i] = here[likely[i]] and (bundles[i] or run) or hereAlone[KEYS[1] .. run] and run or false
  end
  return jobs
end`;

const PRESENT = `${JOBS_OF}
local present = {}
for i, job in ipairs(jobsOf(ARGV, KEYS[2])) do present[i] = job and 1 or 0 end
return present`;

/** The runs that a bundle was made of, by the job's data. */
export const RUNS_OF = `
local function runsOf(bundle)
  local data = redis.call('HGET', KEYS[1] .. bundle, 'data')
  local parsed, job = pcall(cjson.decode, data or '')
  local ids = {}
  if not parsed or type(job) ~= 'table' or type(job.runs) ~= 'table' then return ids end
  for _, run in ipairs(job.runs) do
    -- Else somebody has forged it, and the script would end for all that it looks at.
    if type(run) == 'table' and type(run[1]) == 'string' and type(run[2]) == 'number' then
      ids[#ids + 1] = 'r_' .. run[1] .. '_' .. string.format('%.0f', run[2])
    end
  end
  return ids
end
local function runsIn(bundle, members)
  local made, ids = runsOf(bundle), {}
  -- Of a job that somebody has forged there may be more than Lua has room for.
  for from = 1, #made, 1000 do
    local page = { unpack(made, from, math.min(from + 999, #made)) }
    for i, entry in ipairs(redis.call('HMGET', members, unpack(page))) do
      if entry == bundle then ids[#ids + 1] = page[i] end
    end
  end
  return ids
end`;

const TAKE_OUT = `${RUNS_OF}
local replies, touched = {}, {}
for i, id in ipairs(ARGV) do
  replies[i] = 0
  local bundle = redis.call('HGET', KEYS[2], id)
  if bundle then
    if touched[bundle] == nil then touched[bundle] = not redis.call('LPOS', KEYS[4], bundle) end
    if touched[bundle] then replies[i] = redis.call('HDEL', KEYS[2], id) end
  end
end
for bundle, open in pairs(touched) do
  if open and #runsIn(bundle, KEYS[2]) == 0 then
    redis.call('SREM', KEYS[3], bundle)
    replies[#replies + 1] = bundle
  end
end
return replies`;

// A run that was added again meanwhile may be in another bundle.
const LEAVE = `
for i = 3, #ARGV do
  if redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[1] then redis.call('HDEL', KEYS[2], ARGV[i]) end
end
if ARGV[2] == '1' then redis.call('SREM', KEYS[3], ARGV[1]) end
return {}`;

// What is entered has no job for a moment.
const TIDY_UP = `
local old = tonumber(redis.call('TIME')[1]) - 60
local page = redis.call('HSCAN', KEYS[2], ARGV[1], 'COUNT', ARGV[2])
for i = 1, #page[2], 2 do
  local bundle = page[2][i + 1]
  local made = tonumber(string.match(bundle, '^b_(%d+)_')) or 0
  if made < old and redis.call('EXISTS', KEYS[1] .. bundle) == 0 then
    redis.call('HDEL', KEYS[2], page[2][i])
    redis.call('SREM', KEYS[3], bundle)
  end
end
if redis.call('HLEN', KEYS[2]) == 0 then redis.call('DEL', KEYS[3]) end
return { page[1] }`;
