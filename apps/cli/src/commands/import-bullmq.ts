import { EscapementError } from '@escapement/core';
import { readSchedulers } from '@escapement/formats';
import type { StoredScheduler } from '@escapement/queue/server';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { carryOutImport } from '../imports/carry-out.ts';
import { type ImportOptions, withImportOptions } from '../imports/options.ts';
import { readZone } from '../options.ts';
import type { ExitCode } from '../output/exit-code.ts';
import { systemZone } from '../output/wording.ts';
import { withRedis } from '../redis.ts';

interface BullmqOptions extends ImportOptions {
  redis: string;
  queue: string;
  keyPrefix: string;
  tz?: string;
}

export function addImportBullmq(group: Command, context: Context, end: (code: ExitCode) => void): void {
  const command = group
    .command('bullmq')
    .description(
      'show which tasks the job schedulers of a BullMQ queue become; with --write save them. You may repeat it at any time',
    )
    .requiredOption(
      '--redis <url>',
      'the Redis that has the queue; it is only read: redis://[user:password@]host[:port][/db]',
    )
    .requiredOption('--queue <name>', 'the queue')
    .option('--key-prefix <text>', 'what the keys of BullMQ begin with', 'bull')
    .option('--tz <zone>', "zone of patterns without one; default: this machine's", readZone);
  withImportOptions(command, 'job scheduler').action(async (options: BullmqOptions) =>
    end(await importQueue(options, context)),
  );
}

/** Of our own keys in Redis: nothing of them is read or written here. */
const NAMESPACE = 'default';

async function importQueue(options: BullmqOptions, context: Context): Promise<ExitCode> {
  const { queue, prefix, pool, tz } = options;
  const stored = await read(options);
  const translation = readSchedulers({ queue, stored, timeZone: tz ?? systemZone(), prefix, pool });
  return await carryOutImport({ format: 'bullmq', translation, options }, context);
}

/** Throws `no_queue`, `bad_redis_url`, `redis_unreachable`. */
async function read({ redis: url, queue, keyPrefix }: BullmqOptions): Promise<StoredScheduler[]> {
  return await withRedis({ url }, NAMESPACE, async (redis) => {
    const { readStoredSchedulers } = await import('@escapement/queue/server');
    const stored = await readStoredSchedulers(redis, { prefix: keyPrefix, queue });
    if (stored) return stored;
    throw new EscapementError(
      'no_queue',
      `${redis.description} has no queue ${queue} with keys that begin with ${keyPrefix}`,
      {
        fix: 'look at --queue, at --key-prefix (the prefix of the queue), and at the number of the database in --redis',
      },
    );
  });
}
