import { accountsOf } from '@escapement/handlers';
import { describe, expect, test } from 'vitest';
import { badHandlers } from './handler-processes.ts';
import { isAlive } from './processes.ts';
import { runLine, startShell } from './shell.ts';

const asRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

const accounts = await accountsOf({ allowRoot: false, env: {} });

describe.runIf(asRoot)('a worker that is root', () => {
  test('runs a line as nobody, with no further groups, and reads its output', async () => {
    const { outcome, logged } = await runLine('id -u; id -G; echo $HOME $USER; echo x > /dev/stderr', {}, { accounts });
    expect(outcome).toEqual({ status: 'succeeded', exitCode: 0 });
    expect(logged).toBe(`${NOBODY}\n${NOBODY}\n/ nobody\nx\n`);
  });

  test('refuses a line that names root, for good', async () => {
    const { outcome, logged } = await runLine('id -u', { user: 'root' }, { accounts });
    expect(outcome).toMatchObject({
      status: 'failed',
      retry: 'never',
      error: { fields: { code: 'root_not_allowed' } },
    });
    expect(logged).toBe('');
  });

  test('runs it where that is allowed', async () => {
    const trusted = { ...accounts, allowRoot: true };
    expect((await runLine('id -u', { user: 'root' }, { accounts: trusted })).logged).toBe('0\n');
  });

  test('ends the whole group of a line, though it is another user', async () => {
    const run = startShell(
      { command: 'sleep 600 & echo pid $! both; trap "" TERM; wait; wait' },
      { accounts, killAfterMs: 300 },
    );
    await run.said('both');
    const pid = Number(/pid (\d+)/.exec(run.logged())?.[1]);
    run.abort('timeout');
    expect(await run.done).toMatchObject({ status: 'failed', error: { name: 'Aborted' } });
    expect(isAlive(pid)).toBe(false);
  });

  test('kills a handler in code that blocks its loop, though it is another user', async () => {
    const handlers = await badHandlers({ killAfterMs: 300, accounts });
    const { outcome, said, abort, logged } = handlers.run('blocks');
    await said('about to block');
    const pid = Number(/^(\d+)/.exec(logged())?.[1]);
    abort('timeout');
    expect(await outcome).toMatchObject({ status: 'failed', error: { name: 'Killed' } });
    expect(isAlive(pid)).toBe(false);
  });
});
