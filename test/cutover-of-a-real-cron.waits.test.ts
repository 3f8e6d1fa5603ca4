import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MINUTE } from '@escapement/core';
import { patchCrontab } from '@escapement/formats';
import { expect, test } from 'vitest';
import { type CliOptions, runBin } from '../apps/cli/test/cli.ts';
import { type LiveFleet, liveFleet } from './cron/live-fleet.ts';
import { missingForCron, type RealCron, startCron } from './cron/real-cron.ts';

// In real time: host, fleet and Postgres go by one clock here, as they do elsewhere.

const BIN = fileURLToPath(new URL('../apps/cli/bin/escapement.js', import.meta.url));
const WAIT = { interval: 1000, timeout: 6 * MINUTE };
const SOURCE = 'web1';

/** Two lines that say who has run them when: cron, or a run of the fleet. */
const crontabOf = (folder: string) =>
  `HOME=${folder}\n${['moves', 'stays']
    .map((name) => `* * * * * echo "$(date +\\%s) \${ESCAPEMENT_RUN_ID:-cron}" >> ${folder}/${name}\n`)
    .join('')}`;

const patchedOf = (folder: string) =>
  patchCrontab(Buffer.from(crontabOf(folder)), {
    ...{ source: SOURCE, system: false },
    program: `'${process.execPath}' '${BIN}'`,
  });

async function command(args: readonly string[], options: CliOptions): Promise<string> {
  const { code, stdout, stderr } = await runBin(args, options);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

interface Line {
  id: string;
  state: string;
  side: string;
  agreed: number;
  unexplained: number;
  cutover: { to: string; state: string } | null;
}

/** Has the crontab reported by this host, and imports it into the shadow; the ids of its lines. */
async function takenOver({ admin, url }: LiveFleet, { folder }: RealCron): Promise<[string, string]> {
  const scope = `host=${hostname()}`;
  const token = await command(['tokens', 'create', SOURCE, '--role', 'reporter', '--scope', scope], { env: admin });
  await command(['login', url], { env: { HOME: folder, XDG_CONFIG_HOME: '' }, input: token });
  const terms = ['--source', SOURCE, '--tz', 'UTC', '--shadow', '--write'];
  await command(['import', 'crontab', '-', ...terms], { env: admin, input: crontabOf(folder) });
  const [moves, stays] = patchedOf(folder).lines.map(({ id }) => id);
  if (!moves || !stays) throw new Error('the lines were not patched');
  return [moves, stays];
}

/** Asks the host to let a line go over; from when on, in milliseconds. */
async function asked({ admin }: LiveFleet, words: readonly string[]): Promise<number> {
  const text = await command(['shadow', ...words, '--output', 'json'], { env: admin });
  const { items }: { items: { at: string }[] } = JSON.parse(text);
  return Date.parse(items[0]?.at ?? '');
}

/** When a line was run, and by what: `cron`, or the id of a run. */
async function startsOf(name: string, { folder }: RealCron): Promise<{ at: number; by: string }[]> {
  const text = await readFile(path.join(folder, name), 'utf8').catch(() => '');
  const lines = text.split('\n').filter(Boolean);
  return lines.map((line) => {
    const [seconds, by = ''] = line.split(' ');
    return { at: Number(seconds) * 1000, by };
  });
}

/** The occurrences of a line that were run, in their order, each as its minute in milliseconds and who has run it. */
async function occurrencesOf(name: string, fleet: LiveFleet, cron: RealCron): Promise<string[]> {
  const starts = await startsOf(name, cron);
  const occurrences = starts.map(async ({ at, by }) => {
    if (by === 'cron') return `${Math.floor(at / MINUTE) * MINUTE} cron`;
    const { scheduledFor } = await fleet.read<{ scheduledFor: string }>(`/v1/runs/${by}`);
    return `${Date.parse(scheduledFor)} fleet`;
  });
  return (await Promise.all(occurrences)).sort();
}

/** Each minute from the first to the last of these occurrences. */
function minutesOf(occurrences: readonly string[]): number[] {
  const [first = 0, last = 0] = [occurrences[0], occurrences.at(-1)].map((each) => Number.parseInt(each ?? '', 10));
  return Array.from({ length: (last - first) / MINUTE + 1 }, (_, index) => first + index * MINUTE);
}

async function waitingReports({ folder }: RealCron): Promise<number> {
  const names = await readdir(path.join(folder, '.local/state/escapement/reports'));
  return names.filter((name) => name.endsWith('.json')).length;
}

/** How many starts of a line the host has told that it has left to the fleet. */
async function leftToFleet({ db }: LiveFleet, line: string): Promise<number> {
  const { rows } = await db.pool.query<{ left: number }>(
    'SELECT count(*)::integer AS "left" FROM cron_report WHERE line = $1 AND left_to_fleet',
    [line],
  );
  return rows[0]?.left ?? 0;
}

const missing = missingForCron();

test.skipIf(missing)(
  `beside a live fleet each minute of a line is run by one of both, as it goes to the fleet and back${missing ? `: ${missing}` : ''}`,
  async () => {
    const fleet = await liveFleet();
    // The bundle is there: cron is to wait for no build.
    await command(['--version'], {});
    const cron = await startCron((folder) => patchedOf(folder).text.toString());
    const [moves, stays] = await takenOver(fleet, cron);
    const line = async (id: string) =>
      (await fleet.read<{ items: Line[] }>('/v1/shadow')).items.find((each) => each.id === id);

    await expect.poll(async () => (await line(moves))?.agreed, WAIT).toBeGreaterThan(0);
    const toFleet = await asked(fleet, ['cutover', moves]);
    await expect.poll(async () => (await line(moves))?.cutover, WAIT).toMatchObject({ to: 'fleet', state: 'taken' });
    const toCron = await asked(fleet, ['back', moves]);
    await expect.poll(async () => (await line(moves))?.cutover, WAIT).toMatchObject({ to: 'cron', state: 'taken' });

    await fleet.leave();
    const byFleet = async () => (await startsOf('moves', cron)).filter(({ by }) => by !== 'cron').length;
    await expect.poll(byFleet, WAIT).toBeGreaterThan(0);
    await expect.poll(() => waitingReports(cron), WAIT).toBeGreaterThan(0);
    await fleet.comeBack();

    await expect
      .poll(async () => (await startsOf('moves', cron)).some(({ by, at }) => by === 'cron' && at > toCron), WAIT)
      .toBe(true);
    const given = Math.round((toCron - toFleet) / MINUTE);
    await expect.poll(byFleet, WAIT).toBeGreaterThanOrEqual(given);
    const moved = await occurrencesOf('moves', fleet, cron);
    expect(moved).toEqual(
      minutesOf(moved).map((minute) => `${minute} ${minute < toFleet || minute > toCron ? 'cron' : 'fleet'}`),
    );
    const stayed = await occurrencesOf('stays', fleet, cron);
    expect(stayed).toEqual(minutesOf(stayed).map((minute) => `${minute} cron`));

    // What was told while the API was away has come, once.
    await expect.poll(() => leftToFleet(fleet, moves), WAIT).toBe(given);
    for (const id of [moves, stays])
      expect(await line(id)).toMatchObject({ state: 'agrees', side: 'cron', unexplained: 0 });
  },
  20 * MINUTE,
);
