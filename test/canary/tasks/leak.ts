import { existsSync } from 'node:fs';
import { defineTask, Skip } from '@escapement/sdk';
import { z } from 'zod';

const never = () => new Promise<never>(() => undefined);

/** Puts a secret through one of the doors by which something leaves a handler; `open` is no secret and goes with it. */
// biome-ignore-start lint/suspicious/noConsole: what a task prints is one of the doors
export default defineTask({
  name: 'leak',
  payload: z.object({ door: z.string(), open: z.string(), written: z.string() }),
  secrets: ['ESCAPEMENT_SECRET_CANARY'],
  state: z.object({ kept: z.string().default('') }).default({ kept: '' }),
  key: 'leak-{{payload.door}}',
  timeoutMs: 60_000,
  async run({ door, open, written }, ctx) {
    const secret = ctx.secrets.ESCAPEMENT_SECRET_CANARY;
    const words = `${open} ${secret}`;
    const half = words.length - 9;
    switch (door) {
      case 'line of the log':
        return void ctx.log.info(words, { field: words });
      case 'pieces of the log':
        ctx.log.write(words.slice(0, half));
        await new Promise((resolve) => setTimeout(resolve, 100));
        return void ctx.log.write(`${words.slice(half)}\n`);
      case 'base64 in the log':
        return void ctx.log.write(`${open} ${Buffer.from(`app:${secret}`).toString('base64')}\n`);
      case 'console':
        console.log(words);
        return void console.error(words);
      case 'standard output':
        process.stdout.write(words.slice(0, half));
        return void process.stdout.write(`${words.slice(half)}\n`);
      case 'progress':
        ctx.progress(1, 2, words);
        // Goes on until it is in the ledger.
        while (!existsSync(written)) await new Promise((resolve) => setTimeout(resolve, 100));
        return undefined;
      case 'output':
        return { [words]: [words] };
      case 'skip':
        throw new Skip(words);
      case 'error':
        throw Object.assign(new Error(words, { cause: new Error(words) }), { field: words });
      case 'stray error':
        setTimeout(() => {
          throw new Error(words);
        }, 10);
        return await never();
      case 'stray rejection':
        void Promise.reject(new Error(words));
        return await never();
      case 'exit':
        console.log(words);
        return process.exit(3);
      case 'state':
        ctx.state.kept = words;
        return;
      case 'chain':
        return ctx.chain('sink', { words });
      case 'list':
        return await ctx.list('canary').add([words]);
      case 'batch':
        return await ctx.fanOut({ name: 'sink' } as never, [{ words }]);
      case 'name of a batch':
        return await ctx.fanOut({ name: 'sink' } as never, [{ open }], { id: words });
      default:
        throw new Error(`no such door: ${door}`);
    }
  },
});
// biome-ignore-end lint/suspicious/noConsole: end
