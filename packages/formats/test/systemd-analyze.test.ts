import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TaskInput, taskDefinition } from '@escapement/core';
import { firesBetween, parseSchedule } from '@escapement/core/schedule';
import { afterFile } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { toUnits } from '../src/index.ts';

const ENV = { TZ: 'UTC', LC_ALL: 'C', PATH: process.env.PATH };
const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8', env: ENV });
/** Most images have none of systemd's programs; what it says of calendars is recorded for them. */
const isThere = analyze('--version').status === 0;

const FROM = new Date('2026-01-01T00:00:00Z');
const TO = new Date('2027-03-01T00:00:00Z');
const FIRES = 6;

function unitsOf(schedule: TaskInput['schedule'], name = 'job') {
  const handler = {
    type: 'shell' as const,
    ...{ argv: ['/bin/echo', '$HOME', 'a "b" \'c\'', '%n', ';', '\\', 'x\ny'], user: 'jobs', cwd: '/tmp' },
    env: { A: 'b "c" %n \\' },
  };
  const definition = taskDefinition.parse({ name, schedule, handler, description: '100% "x" \\' });
  return toUnits([{ definition, paused: false }]).files;
}

/** The first fires of lines of OnCalendar= together, in UTC. */
function firesOf(timer: string): string[] {
  const lines = [...timer.matchAll(/^OnCalendar=(.*)$/gm)].map(([, line = '']) => line);
  const fires = lines.flatMap((line) => {
    const { stdout } = analyze('calendar', `--base-time=2026-01-01 00:00:00`, `--iterations=${FIRES}`, line);
    return [...stdout.matchAll(/(?:Next elapse|Iter\. #\d+): \w+ (\S+) (\S+) UTC$/gm)].map(
      ([, day, time]) => `${day}T${time}.000Z`,
    );
  });
  return [...new Set(fires)].sort().slice(0, FIRES);
}

test
  .skipIf(!isThere)
  .each([
    '30 2 * * 1-5',
    '@monthly',
    '0 0 1 * 1',
    '0 9 * * 1#3',
    '0 9 * * 5L',
    '0 9 15,L-2 * *',
    '0 22-2 * * FRI-MON',
    '0 0 9 1-7 * +MON 2026',
    '*/7 3-9/2 * * *',
    '10,50 0 4 1 */3 *',
  ])('systemd starts what is exported when the task would be due: %s', (expression) => {
  const schedule = { kind: 'cron', expression, timeZone: 'America/New_York' } as const;
  const [timer] = unitsOf(schedule);
  const ours = firesBetween(parseSchedule(schedule), FROM, TO, FIRES).map((at) => at.toISOString());
  expect(firesOf(timer?.text ?? '')).toEqual(ours);
});

test.skipIf(!isThere)('systemd has nothing to say against units that are exported', () => {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-units-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const files = [
    ...unitsOf({ kind: 'cron', expression: '0 0 1 * 1', timeZone: 'UTC', jitterMs: 5000 }, 'one'),
    ...unitsOf({ kind: 'every', everyMs: 90_000 }, 'two@shop'),
    ...unitsOf({ kind: 'fixed-delay', delayMs: 3_600_000 }, 'a/three'),
  ];
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
  const { status, stderr } = analyze('verify', ...files.map(({ name }) => join(folder, name)));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
