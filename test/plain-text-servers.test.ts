import { spawnNode } from '@escapement/testkit';
import { expect, it } from 'vitest';

it.each(['scheduler', 'worker'])(
  'a %s says at its start which servers it speaks to in plain text, once',
  async (app) => {
    const process = spawnNode(new URL(`../apps/${app}/src/main.ts`, import.meta.url), {
      env: {
        DATABASE_URL: 'postgres://me:hidden@db.invalid/x',
        REDIS_URL: 'redis://me:hidden@cache.invalid:6379',
        ESCAPEMENT_HEALTH_PORT: 'off',
      },
    });
    // It waits for Postgres after that.
    await process.waitForLine('waiting for Postgres', 45_000);
    await process.kill();
    const said = process.lines.filter((line) => line.includes('is spoken to in plain text'));
    expect(said).toEqual([
      expect.stringMatching(
        /Postgres at db\.invalid .*sslmode=verify-full|sslmode=verify-full.*Postgres at db\.invalid/,
      ),
      expect.stringMatching(/Redis at cache\.invalid:6379 .*rediss:|rediss:.*Redis at cache\.invalid:6379/),
    ]);
    expect(process.lines.join('\n')).not.toContain('hidden');
  },
);
