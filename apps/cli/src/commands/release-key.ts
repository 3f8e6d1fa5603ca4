import { EscapementError } from '@escapement/core';
import { type ReleaseResult, recordAudit, releaseKeySlot } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, configOf, whoAsks, withDatabase } from '../context.ts';
import type { SlotView } from '../keys/slot-view.ts';
import { tidyRedis } from '../keys/tidy-redis.ts';
import { MAX_WORDS, readCount, readNote, readWords } from '../options.ts';
import { lookAtSlots, MOST_SLOTS, unknownKey } from './keys.ts';

interface ReleaseOptions {
  reason: string;
  slot?: number;
}

export function addReleaseKey(keys: Command, context: Context): void {
  keys
    .command('release')
    .description('take a key from the run that holds it: the run ends as cancelled, its result is refused')
    .argument('<key>', 'a key, as `escapement keys list` shows it', readWords('the key'))
    .requiredOption('--reason <text>', `why, for the ledger; at most ${MAX_WORDS} characters`, readNote('--reason'))
    .option('--slot <n>', 'which slot, where several are held', readCount('--slot', 1, MOST_SLOTS))
    .action((key: string, options: ReleaseOptions) => release(key, options, context));
}

async function release(key: string, { reason, slot }: ReleaseOptions, context: Context): Promise<void> {
  const { slots } = await lookAtSlots(context, { key, limit: MOST_SLOTS });
  if (slots.length === 0) throw unknownKey(key);
  const chosen = choose(slots, key, slot);
  const released = await releaseInLedger(chosen, reason, context);
  const leaseEnded = await tidyRedis(configOf(context), chosen.lease, released?.woken ?? [], (why) =>
    context.output.note(`Redis was not told: ${why.message}; what is missing there is made up for within seconds`),
  );
  tell(chosen, { released, leaseEnded }, context);
}

/** The one slot that is meant. Throws `key_free`, `key_reserved`, `several_slots`. */
function choose(slots: readonly SlotView[], key: string, slot: number | undefined): SlotView {
  const meant = slots.filter((each) => slot === undefined || each.slot === slot);
  const held = meant.filter(({ state }) => state !== 'free' && state !== 'reserved');
  const [first, ...others] = held;
  const what = `key "${key}"${slot === undefined ? '' : `, slot ${slot},`}`;
  if (others.length > 0)
    throw new EscapementError('several_slots', `${what} has ${held.length} slots that are held`, {
      fix: `say which: ${held.map((each) => `--slot ${each.slot} (run ${each.holder?.runId ?? each.lease?.runId})`).join(', ')}`,
    });
  if (first) return first;
  const reserved = meant.find(({ state }) => state === 'reserved');
  if (reserved)
    throw new EscapementError(
      'key_reserved',
      `${what} is reserved for run ${reserved.holder?.runId}, the next in line`,
      {
        fix: 'it begins within seconds, or the reservation lapses',
      },
    );
  throw new EscapementError('key_free', `${what} is free: nobody holds it`, {
    fix: 'see `escapement keys list --busy`',
  });
}

type Released = Extract<ReleaseResult, { kind: 'released' }>;

/** Undefined: the ledger knows of nobody on the slot, there is only a lease. Throws `key_changed`. */
async function releaseInLedger(chosen: SlotView, reason: string, context: Context): Promise<Released | undefined> {
  const { key, slot, holder, fence, lease } = chosen;
  return await withDatabase(context, async (db) => {
    if (!holder || fence === null) {
      const detail = { slot, run: lease?.runId ?? null, worker: lease?.worker ?? null };
      await recordAudit(db, { key }, { actor: whoAsks(), action: 'release', reason, detail });
      return undefined;
    }
    const seen = { key, slot, fence, runId: holder.runId };
    const result = await releaseKeySlot(db, { seen, who: whoAsks(), reason });
    if (result.kind === 'released') return result;
    throw new EscapementError('key_changed', `key "${key}" has changed hands meanwhile; nothing was done`, {
      fix: 'look at it again: `escapement keys show`',
    });
  });
}

function tell(
  { key, slot, holder, lease }: SlotView,
  { released, leaseEnded }: { released: Released | undefined; leaseEnded: boolean },
  { output }: Context,
): void {
  const runId = holder?.runId ?? lease?.runId;
  const result = {
    key,
    slot,
    run: runId,
    cancelled: released?.cancelled ?? false,
    fence: released?.fence ?? null,
    leaseEnded,
    woken: released?.woken.map(({ id }) => id) ?? [],
  };
  output.result(result, () => [
    released
      ? `key "${key}", slot ${slot}, is released: run ${runId} ${released.cancelled ? 'is cancelled' : 'was over already'}; results under a fence below ${released.fence} are refused`
      : `key "${key}", slot ${slot}: the lease of run ${runId} is ${leaseEnded ? 'deleted' : 'gone'}`,
    ...(released?.woken ?? []).map(({ id }) => `run ${id} is the next`),
  ]);
}
