import type { AnswerOf } from '@escapement/api/calls';
import { releaseKey } from '@escapement/api/routes';
import { MOST_SLOTS } from '@escapement/operations';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { MAX_WORDS, readCount, readNote, readWords } from '../options.ts';

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
  const asked = { query: { key }, body: { slot, reason } };
  const released = await withFleet(context, (fleet) => fleet.call(releaseKey, asked));
  const { redisError } = released;
  if (redisError !== null)
    context.output.note(`Redis was not told: ${redisError}; what is missing there is made up for within seconds`);
  print(released, context);
}

function print(
  { slot: { key, slot, holder, lease }, inLedger, leaseDeleted }: AnswerOf<typeof releaseKey>,
  { output }: Context,
): void {
  const runId = holder?.runId ?? lease?.runId;
  const result = {
    key,
    slot,
    run: runId,
    cancelled: inLedger?.cancelled ?? false,
    fence: inLedger?.fence ?? null,
    leaseDeleted,
    woken: inLedger?.woken ?? [],
  };
  output.result(result, () => [
    inLedger
      ? `key "${key}", slot ${slot}, is released: run ${runId} ${inLedger.cancelled ? 'is cancelled' : 'had ended already'}; results under a fence below ${inLedger.fence} are refused`
      : `key "${key}", slot ${slot}: the lease of run ${runId} is ${leaseDeleted ? 'deleted' : 'gone'}`,
    ...(inLedger?.woken ?? []).map((id) => `run ${id} is the next`),
  ]);
}
