import { DAY, HOUR, type TaskInput } from '@escapement/core';
import { keepZones, knownRules, saveTask } from '@escapement/operations';
import { pingDatabase } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const ZONE = 'Africa/Lagos';
const HERE = process.versions.tz ?? '';

async function save(name: string, expression: string, timeZone = ZONE): Promise<void> {
  const task: TaskInput = {
    name,
    schedule: { kind: 'cron', expression, timeZone },
    handler: { type: 'shell', command: 'true' },
  };
  await saveTask(db, task, { source: 'test', by: by('test') });
}

await save('nightly', '0 3 * * *');
await save('each-minute', '* * * * *');
await save('elsewhere', '0 3 * * *', 'Asia/Tokyo');
await save('of-no-place', '0 3 * * *', 'UTC');
/** As if Lagos were to set its clock on in ten days, at one in the afternoon. */
const rules = knownRules(ZONE);
const { now } = await pingDatabase(db);
const at = (Math.floor(now.getTime() / DAY) * DAY + 10 * DAY + 12 * HOUR) / 1000;
const older = { ...rules, changes: [...rules.changes, [at, 7200] as [number, number]] };
const keep = (tzVersion: string, inForce = rules) =>
  keepZones(db, { tzVersion, rulesOf: (name) => (name === ZONE ? inForce : knownRules(name)) });
const tzdata = (...args: string[]) => runCli(['tzdata', ...args], { env });

test('before a scheduler has been there nothing is written down', async () => {
  const { stdout, stderr, code } = await tzdata();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Africa\/Lagos +- +- +none$/m);
  expect(stderr).toContain('no scheduler has written the zone down yet');
});

test('what newer data will change is told by zone and task, with the first fire', async () => {
  await keep('2024a', older);
  const { stdout, stderr } = await tzdata('--days', '30');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    `2024a to ${HERE}, once schedulers have that: fires of 1 task will be others`,
  );
  expect(stdout).toMatch(/^Asia\/Tokyo +2024a .* none$/m);
  expect(stdout).not.toContain('UTC');
  expect(stderr).toMatch(/ to the end of what is known: the clock is at \+01:00, not at \+02:00/);
  expect(stderr).toMatch(/^ {2}nightly: (19|20) fires at another time.*; first \S+T02:00:00Z, not \S+T01:00:00Z$/m);
  expect(stderr).not.toContain('each-minute');
});

test('once schedulers have it, it is told for some time what it has changed', async () => {
  await keep(HERE);
  const { stdout } = await tzdata('--days', '30');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`2024a to ${HERE}: fires of 1 task are others`);
  const json = JSON.parse((await tzdata('--days', '30', '-o', 'json')).stdout);
  expect(json).toMatchObject({
    tzVersion: HERE,
    zones: [{ zone: ZONE, change: { kind: 'made' } }, { zone: 'Asia/Tokyo' }],
  });
});

test('who looks with older data is told so', async () => {
  await db.pool.query('DELETE FROM zone_version');
  await keep('2999a', older);
  const { stdout } = await tzdata();
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`2999a is known to the schedulers; looked at with ${HERE}`);
});

test('a number that is none is refused', async () => {
  expect(await tzdata('--days', 'many')).toMatchObject({ code: 2 });
});
