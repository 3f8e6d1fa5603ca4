import { lookAtSlots, MOST_SLOTS, releaseKey as release, type SlotsSeen, unknownKey } from '@escapement/operations';
import { auditEntries, keyRuns, ratesOfKey } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { key, leases, slot } from '../../schemas/fleet.ts';
import { auditEntry } from '../../schemas/run.ts';
import { bigNumber, countIn, flagIn } from '../../schemas/values.ts';

/** Runs in the wait queue that are shown of a key. */
const SHOWN_RUNS = 100;

const named = z.string().min(1).max(512).meta({ description: 'A key, as a list of keys shows it.' });
const about = { tag: 'keys', audit: null, right: 'read', on: () => null } as const;

export const listKeys = route({
  ...about,
  id: 'listKeys',
  // A scheduler is asked what the leases are.
  fromPrimary: true,
  method: 'GET',
  path: '/v1/keys',
  summary: 'The slots of all keys that were ever used, and the runs that hold them.',
  query: z.strictObject({
    busy: flagIn.meta({ description: 'Only keys that are held, leased or waited for.' }),
    limit: countIn(1, 10_000, 200),
  }),
  answer: z.object({ ...leases, items: z.array(slot) }).meta({ id: 'Keys' }),
  handle: async ({ db, by, query: { busy, limit } }) => {
    const { slots, ...seen } = await lookAtSlots(db, { busy, limit }, by());
    return { ...leasesOf(seen), items: slots };
  },
});

function leasesOf({ leasesUnknown }: Pick<SlotsSeen, 'leasesUnknown'>) {
  return { leasesKnown: leasesUnknown === null, leasesUnknown: leasesUnknown?.message ?? null };
}

export const getKey = route({
  ...about,
  id: 'getKey',
  fromPrimary: true,
  method: 'GET',
  path: '/v1/key',
  summary: 'The slots of a key, who waits for it, its rates, and what people did to it.',
  description: 'A key may hold any character: it is a query, not a part of the path.',
  query: z.strictObject({ key: named }),
  missing: ['unknown_key'],
  answer: key,
  handle: async ({ db, by, query }) => {
    const [{ slots, ...seen }, runs, rates, audit] = await Promise.all([
      lookAtSlots(db, { key: query.key, limit: MOST_SLOTS }, by()),
      keyRuns(db, query.key, SHOWN_RUNS),
      ratesOfKey(db, query.key),
      auditEntries(db, { key: query.key }),
    ]);
    if (slots.length + runs.length === 0) throw unknownKey(query.key);
    return { key: query.key, ...leasesOf(seen), slots, rates, runs, audit };
  },
});

export const listKeyHistory = route({
  ...about,
  id: 'listKeyHistory',
  method: 'GET',
  path: '/v1/key/history',
  summary: 'What people did to a key, the latest first: when, who, and why.',
  query: z.strictObject({ key: named, limit: countIn(1, 1000, 50) }),
  answer: z.object({ items: z.array(auditEntry) }).meta({ id: 'KeyHistory' }),
  handle: async ({ db, query: { key, limit } }) => ({ items: await auditEntries(db, { key }, limit) }),
});

export const releaseKey = route({
  id: 'releaseKey',
  method: 'POST',
  path: '/v1/key/release',
  tag: 'keys',
  summary: 'Take a key from the run that holds it, so that the next one may begin.',
  description: 'The run itself is not stopped: its result is refused.',
  right: 'cancel',
  on: 'action',
  audit: 'release',
  missing: ['unknown_key'],
  query: z.strictObject({ key: named }),
  body: z.strictObject({
    slot: z.int().min(1).max(1000).optional().meta({ description: 'Default: the only one that is held.' }),
    reason: z.string().min(1).max(1000),
  }),
  answer: z
    .object({
      slot,
      inLedger: z
        .object({
          cancelled: z.boolean().meta({ description: 'The run ends as `cancelled`; false: it had ended.' }),
          fence: bigNumber.meta({ description: 'Results under a smaller one are refused.' }),
          woken: z.array(z.string()).meta({ description: 'Runs that are the next.' }),
        })
        .nullable()
        .meta({ description: 'Null: the ledger knew of nobody, there was only a lease.' }),
      leaseDeleted: z.boolean(),
      redisNotified: z.boolean().meta({ description: 'False: Redis hears of it within seconds.' }),
      redisError: z.string().nullable().meta({ description: 'Why Redis does not know yet; null: it does.' }),
    })
    .meta({ id: 'KeyReleased' }),
  handle: async ({ db, by, query, body }) => {
    const asked = { key: query.key, slot: body.slot, by: by(body.reason) };
    const { slot, inLedger, leaseDeleted, redisError } = await release(db, asked);
    const ended = inLedger && {
      ...{ cancelled: inLedger.cancelled, fence: inLedger.fence },
      woken: inLedger.woken.map(({ id }) => id),
    };
    return {
      ...{ slot, inLedger: ended ?? null, leaseDeleted, redisNotified: redisError === null },
      redisError: redisError?.message ?? null,
    };
  },
});
