import { ManualClock } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { runCli } from './cli.ts';

test('the next fires are shown in the zone, across a DST change', async () => {
  const { code, stdout } = await runCli([
    ...['next', '30 2 * * *', '--tz', 'Europe/Berlin', '--count', '3', '--after', '2026-03-28'],
  ]);
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  expect(lines[0]).toBe('30 2 * * *: at 02:30 every day, Europe/Berlin');
  expect(lines.slice(3, 6).map((line) => line.slice(0, 48))).toEqual([
    '2026-03-28 02:30:00 +01:00  2026-03-28T01:30:00Z',
    '2026-03-29 03:00:00 +02:00  2026-03-29T01:00:00Z',
    '2026-03-30 02:30:00 +02:00  2026-03-30T00:30:00Z',
  ]);
});

test('as JSON', async () => {
  const { stdout } = await runCli([
    'next',
    '@daily',
    '--tz',
    'UTC',
    '--count',
    '1',
    '--after',
    '2026-01-01T00:00:00Z',
    '-o',
    'json',
  ]);
  expect(JSON.parse(stdout)).toMatchObject({
    expression: '@daily',
    dialect: 'unix',
    timeZone: 'UTC',
    next: [{ at: '2026-01-02T00:00:00.000Z' }],
  });
});

test('the expression may come in several words', async () => {
  const { stdout } = await runCli(['next', '0', '3', '*', '*', 'mon', '--tz', 'UTC']);
  expect(stdout).toContain('0 3 * * mon: at 03:00 on Monday');
});

test('the dialect decides what a day field means', async () => {
  const days = async (dialect: string) => {
    const args = [
      'next',
      '0 0 */2 * 1',
      '--dialect',
      dialect,
      '--tz',
      'UTC',
      '--count',
      '2',
      '--after',
      '2026-03-01',
      '-o',
      'json',
    ];
    const { next }: { next: { at: string }[] } = JSON.parse((await runCli(args)).stdout);
    return next.map(({ at }) => at.slice(0, 10));
  };
  expect(await days('unix')).toEqual(['2026-03-02', '2026-03-03']);
  expect(await days('vixie')).toEqual(['2026-03-09', '2026-03-23']);
});

test('without --after it is from now on', async () => {
  const clock = new ManualClock(new Date('2026-06-01T10:00:30Z'));
  const { stdout } = await runCli(['next', '* * * * *', '--tz', 'UTC', '--count', '1'], { clock });
  expect(stdout).toContain('2026-06-01T10:01:00Z  in 30 s');
});
