import { z } from 'zod';
import { bulkAction } from './bulk-action.ts';
import { DRIFT_KINDS } from './drift.ts';

/** A lease in Redis, as a scheduler saw it. */
export const seenLease = z.object({
  key: z.string(),
  slot: z.int(),
  runId: z.string(),
  worker: z.string(),
  /** 0: the slot is reserved for the run, which has not come yet. */
  dispatch: z.int(),
  /** ISO 8601, by the holder's clock. */
  since: z.string(),
  /** Milliseconds until it ends unless it is renewed. */
  expiresInMs: z.number(),
});

export type SeenLease = z.output<typeof seenLease>;

/** What a scheduler sees of a Redis: what matters for not losing runs. */
export const redisSeen = z.object({
  version: z.string(),
  /** Must be `noeviction`: any other policy lets Redis drop queued runs when its memory is full. */
  maxmemoryPolicy: z.string(),
  /** Whether writes go to the append-only file; without it a crash loses the queue (the ledger puts it back). */
  appendonly: z.boolean(),
  /** `master` or `slave`. */
  role: z.string(),
  /** A node of a Redis Cluster. */
  cluster: z.boolean(),
  /** Redis' clock minus that of the machine that asks, in milliseconds. */
  clockOffsetMs: z.number(),
});

export type RedisSeen = z.output<typeof redisSeen>;

/**
 * What a person or program wants that needs Redis or takes long: it is written as a row, and a scheduler carries it out. Each
 * may be carried out twice without harm.
 */
export const fleetRequest = z.discriminatedUnion('kind', [
  /** The leases of one key; null: of all. */
  z.strictObject({ kind: z.literal('list_leases'), key: z.string().nullable() }),
  /** A key was released in the ledger: its lease ends, if it is still that of the same run, and the next runs get their jobs. */
  z.strictObject({
    kind: z.literal('tidy_key'),
    lease: seenLease.nullable(),
    woken: z.array(z.strictObject({ id: z.string(), queue: z.string(), dispatch: z.int() })),
  }),
  /** All of the queue and the leases beside the ledger; changes nothing. */
  z.strictObject({ kind: z.literal('compare_queue') }),
  /** What each Redis of the fleet is like. */
  z.strictObject({ kind: z.literal('inspect_redis') }),
  /** What other programs have done to the queues of a pool in Redis is taken away. */
  z.strictObject({ kind: z.literal('open_pool'), pool: z.string() }),
  ...bulkAction.options,
]);

export type FleetRequest = z.output<typeof fleetRequest>;

/** What comes back of each kind. */
export const fleetAnswers = {
  list_leases: z.array(seenLease),
  /** Whether a lease was ended. */
  tidy_key: z.boolean(),
  /** Whether there was something. */
  open_pool: z.boolean(),
  /** By what it is for; a text: why it could not be looked at. */
  inspect_redis: z.array(z.object({ subject: z.string(), seen: z.union([redisSeen, z.string()]) })),
  compare_queue: z.array(z.object({ kind: z.enum(DRIFT_KINDS), subject: z.string() })),
};

export type FleetAnswerOf<Kind extends keyof typeof fleetAnswers> = z.output<(typeof fleetAnswers)[Kind]>;

export type FleetAnswer = FleetAnswerOf<keyof typeof fleetAnswers>;
