import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MINUTE, systemClock } from '@escapement/core';
import { firesBetween } from '@escapement/core/schedule';
import { answerProposal, compareHost } from '@escapement/core/shadow';
import { patchCrontab, readCrontab } from '@escapement/formats';
import { describe, expect, it } from 'vitest';
import { debianCronStarts } from '../packages/formats/test/debian-cron.ts';
import { missingForCron, type RealCron, startCron } from './cron/real-cron.ts';

const missing = missingForCron();
const ZONE = 'Europe/Berlin';
const BIN = fileURLToPath(new URL('../apps/cli/bin/escapement.js', import.meta.url));

const SCHEDULES = [
  ...['* * * * *', '*/5 * * * *', '7 * * * *', '@hourly', '*/20 2 * * *', '30 * * * 7'],
  ...[
    '30 2 * * *',
    '0 3 * * *',
    '15,45 2 * * *',
    '5 2 */2 * sun',
    '10 2 1 * 0',
    '0 2 * * *',
    '40 2 25 10 *',
    '59 1 29 3 *',
  ],
];

/** When a real cron has started each of the schedules, by its own clock. */
async function realStarts(from: Date, to: Date): Promise<Date[][]> {
  const minutes = (to.getTime() - from.getTime()) / MINUTE;
  const lines = (folder: string) =>
    SCHEDULES.map((each, index) => `${each} date +\\%s\\%N >> ${folder}/line-${index}\n`).join('');
  // A second is a minute: on a busy machine what cron starts may take most of one until it writes.
  const cron = await startCron(lines, { from, rate: 60 });
  await cron.runs(minutes);
  return await Promise.all(SCHEDULES.map((_, index) => startsOf(cron, index)));
}

async function startsOf({ folder, clockAt }: RealCron, index: number): Promise<Date[]> {
  const text = await readFile(path.join(folder, `line-${index}`), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((nanoseconds) => new Date(clockAt(Number(nanoseconds) / 1e6)));
}

describe.skipIf(missing)(
  `beside a real cron${missing ? `: ${missing}` : ''}`,
  { concurrent: true, timeout: 180_000 },
  () => {
    it.each([
      // The clock goes from 02:00 to 03:00, and from 03:00 to 02:00.
      {
        night: 'spring',
        from: new Date('2026-03-29T00:55:30Z'),
        to: new Date('2026-03-29T01:12:30Z'),
        change: '2026-03-29T01:00:00Z',
        offsets: [1, 2],
      },
      {
        night: 'autumn',
        from: new Date('2026-10-25T00:27:30Z'),
        to: new Date('2026-10-25T01:34:30Z'),
        change: '2026-10-25T01:00:00Z',
        offsets: [2, 1],
      },
    ] as const)(
      'in the night of $night it starts what its rules say, and each difference from the plan is explained',
      async ({ from, to, change, offsets, night }) => {
        const real = await realStarts(from, to);
        const offsetMs = (at: Date) => offsets[at < new Date(change) ? 0 : 1] * 60 * MINUTE;
        const first = new Date(Math.ceil(from.getTime() / MINUTE) * MINUTE);
        // Of the last minute the one may have been earlier than the other.
        const last = new Date(Math.floor(to.getTime() / MINUTE) * MINUTE - MINUTE);
        const minutesOf = (starts: readonly Date[]) =>
          starts
            .filter((at) => at.getTime() < last.getTime() + MINUTE)
            .map((at) => new Date(Math.floor(at.getTime() / MINUTE) * MINUTE).toISOString());
        const known = SCHEDULES.map((each) => minutesOf(debianCronStarts(each, { from: first, to: last, offsetMs })));
        expect(real.map(minutesOf)).toEqual(known);
        const text = SCHEDULES.map((each) => `${each} true\n`).join('');
        const { tasks } = readCrontab(text, { name: night, system: false, timeZone: ZONE, timeZoneFrom: '--tz' });
        const lines = tasks.map(({ id, schedule }, index) => ({
          ...{ id, schedule, fires: firesBetween(schedule, from, last) },
          starts: (real[index] ?? []).map((startedAt) => ({
            startedAt,
            endedAt: startedAt,
            exitCode: 0,
            signal: null,
            bootedAt: null,
          })),
        }));
        const compared = compareHost(lines, { now: new Date(to.getTime() + 60 * MINUTE) });
        expect(compared.reduce((sum, { agreed }) => sum + agreed, 0)).toBeGreaterThan(20);
        expect(compared.flatMap(({ differences }) => differences.filter(({ cause }) => cause === null))).toEqual([]);
      },
    );

    it('a patched crontab does what it did, and its starts and ends wait to be sent', async () => {
      // The bundle is there: cron is to wait for no build.
      execFileSync(process.execPath, [BIN, '--version']);
      const program = `'${process.execPath}' '${BIN}'`;
      const crontab = (folder: string) =>
        patchCrontab(
          Buffer.from(
            `HOME=${folder}\n* * * * * cat >> ${folder}/mail%Dear Ann,%50\\% off\n* * * * * echo "it's" | tr a-z A-Z >> ${folder}/loud; exit 3\n`,
          ),
          { source: 'web1', system: false, program },
        ).text.toString();
      const cron = await startCron(crontab, { from: new Date('2026-06-01T10:00:50Z'), rate: 15 });
      await cron.runs(2.8);
      const read = async (name: string) => await readFile(path.join(cron.folder, name), 'utf8');
      expect(await read('mail')).toMatch(/^(Dear Ann,\n50% off\n){2,3}$/);
      expect(await read('loud')).toMatch(/^(IT'S\n){2,3}$/);
      const reports = path.join(cron.folder, '.local/state/escapement/reports');
      const told = (await readdir(reports)).filter((name) => name.endsWith('.json'));
      const texts = await Promise.all(told.map((name) => readFile(path.join(reports, name), 'utf8')));
      const ends = texts
        .map((text): { exitCode: number | null; id: string } => JSON.parse(text))
        .filter(({ exitCode }) => exitCode !== null);
      expect(ends.filter(({ exitCode }) => exitCode === 3).length).toBeGreaterThanOrEqual(2);
      expect(ends.filter(({ exitCode }) => exitCode === 0).length).toBeGreaterThanOrEqual(2);
      expect(told.length).toBeGreaterThanOrEqual(2 * ends.length);
    });

    it('a patched line runs once a minute also when its program is deleted; one that the fleet has does not', async () => {
      execFileSync(process.execPath, [BIN, '--version']);
      const ids: string[] = [];
      const crontab = (folder: string) => {
        symlinkSync(BIN, path.join(folder, 'escapement.js'));
        const lines = ['ran', 'left'].map((name) => `* * * * * date +\\%s\\%N | cat >> "${folder}"/'${name}'\n`);
        const program = `'${process.execPath}' '${folder}/escapement.js'`;
        const given = Buffer.from(`HOME=${folder}\n${lines.join('')}`);
        const patched = patchCrontab(given, { source: 'web1', system: false, program });
        ids.push(...patched.lines.map(({ id }) => id ?? ''));
        return patched.text.toString();
      };
      const cron = await startCron(crontab, { from: new Date('2026-06-01T10:00:50Z'), rate: 15 });
      const state = path.join(cron.folder, '.local/state/escapement');
      const starts = async (name: string) =>
        (await readFile(path.join(cron.folder, name), 'utf8').catch(() => '')).split('\n').filter(Boolean);
      const reports = async () => (await readdir(path.join(state, 'reports'))).length;
      const both = async () => Math.min((await starts('ran')).length, (await starts('left')).length);
      await expect.poll(both, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
      await writeFile(path.join(state, 'lines', `${ids[1]}.fleet`), '');
      rmSync(path.join(cron.folder, 'escapement.js'));
      const before = { ran: await starts('ran'), left: await starts('left') };
      await cron.runs(3.5);
      const told = await reports();
      const minutes = (await starts('ran')).map((nanoseconds) =>
        Math.floor(cron.clockAt(Number(nanoseconds) / 1e6) / MINUTE),
      );
      expect(minutes.length).toBeGreaterThanOrEqual(before.ran.length + 3);
      const [first = 0] = minutes;
      expect(minutes).toEqual(minutes.map((_, index) => first + index));
      // What had started before the program went may have written since.
      expect((await starts('left')).length).toBeLessThanOrEqual(before.left.length + 1);
      expect(told).toBeGreaterThan(0);
      expect(told).toBeLessThan(2 * minutes.length);
    });

    it('a line that its host gives to the fleet and takes back is run by one of both at each fire', async () => {
      execFileSync(process.execPath, [BIN, '--version']);
      const [from, rate, line] = [new Date('2026-06-01T10:00:50Z'), 24, '0123456789ab'];
      const report = `'${process.execPath}' '${BIN}' report --line ${line} --`;
      const crontab = (folder: string) => `HOME=${folder}\n* * * * * ${report} 'date +\\%s\\%N >> ${folder}/ran'\n`;
      const cron = await startCron(crontab, { from, rate });
      // What cron starts goes by the clock of this machine.
      const realAt = (text: string) => new Date((Date.parse(`2026-06-01T${text}Z`) - cron.clockAt(0)) / rate);
      const proposals = [
        { ...{ id: 'one', line, settled: null, now: systemClock.now() }, to: 'fleet', at: realAt('10:04:30') },
        { ...{ id: 'two', line, settled: null, now: systemClock.now() }, to: 'cron', at: realAt('10:06:30') },
      ] as const;
      const answers = proposals.map((proposal) => answerProposal([], proposal, systemClock.now()));
      expect(answers.map(({ answer }) => answer)).toEqual(['taken', 'taken']);
      const lines = path.join(cron.folder, '.local/state/escapement/lines');
      await mkdir(lines, { recursive: true });
      await writeFile(path.join(lines, `${line}.answers.json`), JSON.stringify(answers));
      await cron.runs(7.6);
      const minuteOf = (realMs: number) => new Date(cron.clockAt(realMs)).toISOString().slice(11, 16);
      const ran = (await readFile(path.join(cron.folder, 'ran'), 'utf8')).trim().split('\n');
      const reports = path.join(cron.folder, '.local/state/escapement/reports');
      const told = await Promise.all(
        (await readdir(reports)).map(async (name) => await readFile(path.join(reports, name), 'utf8')),
      );
      const left = told
        .map((text): { startedAt: string; leftToFleet?: boolean } => JSON.parse(text || '{}'))
        .filter(({ leftToFleet }) => leftToFleet)
        .map(({ startedAt }) => minuteOf(Date.parse(startedAt)));
      expect(ran.map((nanoseconds) => minuteOf(Number(nanoseconds) / 1e6))).toEqual([
        '10:01',
        '10:02',
        '10:03',
        '10:04',
        '10:07',
        '10:08',
      ]);
      expect(left.sort()).toEqual(['10:05', '10:06']);
    });
  },
);
