import { MINUTE, SECOND } from '@escapement/core';
import type { AlertingInput } from '@escapement/core/alerts';
import {
  createMonitor,
  deleteMonitor,
  editMonitor,
  pauseMonitor,
  receivePing,
  resumeMonitor,
} from '@escapement/operations';
import { notePingIntake } from '@escapement/store';
import { by } from '@escapement/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alertedFleet } from './alerted-fleet.ts';

const { db, open, rules, watchers } = await alertedFleet();
afterEach(async () => void (await db.pool.query('DELETE FROM monitor_ping; DELETE FROM monitor')));

const ANN = by('ann');
const ALL: AlertingInput = {
  rules: [
    { name: 'missed', when: { kind: 'monitor-missed' } },
    { name: 'failed', when: { kind: 'monitor-failed' } },
    { name: 'slow', when: { kind: 'monitor-slow' } },
  ],
};

/** A job that pings each hour, and may be a minute late. */
async function aJob(
  name: string,
  labels: Record<string, string> = {},
): Promise<(word?: string, body?: string) => Promise<void>> {
  const schedule = { kind: 'fixed-delay', delayMs: 60 * MINUTE } as const;
  const { pingId: id } = await createMonitor(db, name, { schedule, graceMs: MINUTE, labels }, ANN);
  return async (word = 'success', body = '') => {
    const { rows } = await db.pool.query<{ now: Date }>('SELECT now() AS now');
    const kind = word === 'start' || word === 'success' ? word : 'fail';
    const signal = { kind, exitStatus: kind === 'fail' ? Number(word) : null } as const;
    const sent = { body: Buffer.from(body), bodyBytes: Buffer.byteLength(body), method: 'POST', address: '10.0.0.1' };
    await receivePing(db, { id, signal, rid: null, ...sent }, rows[0]?.now ?? new Date(0));
  };
}

/** As if so long had passed. */
async function later(name: string, ms: number): Promise<void> {
  const text = `UPDATE monitor SET due_at = due_at - $2 * interval '1 ms', trouble_at = trouble_at - $2 * interval '1 ms',
    running = (SELECT coalesce(jsonb_agg(r || jsonb_build_object('since', (r->>'since')::timestamptz - $2 * interval '1 ms')), '[]') FROM jsonb_array_elements(running) r)
    WHERE name = $1`;
  await db.pool.query(text, [name, ms]);
}

test('a job that does not ping is told once, and its next ping ends it', async () => {
  await rules(ALL);
  const ping = await aJob('silent', { team: 'db' });
  const { look } = watchers();
  expect(await look()).toEqual([]);
  await later('silent', 62 * MINUTE);
  expect(await look()).toEqual(['firing: silent has not pinged: it was due more than 1 min ago']);
  expect(await look()).toEqual([]);
  const { rows } = await db.pool.query('SELECT labels, why FROM alert');
  expect(rows).toEqual([
    {
      labels: { team: 'db', monitor: 'silent', rule: 'missed', kind: 'monitor-missed', severity: 'warning' },
      why: ['it has never succeeded'],
    },
  ]);
  await ping();
  await look();
  expect(await open()).toEqual([]);
});

test('it is silenced by a command for itself alone, whatever its labels are called', async () => {
  await rules(ALL);
  const ping = await aJob('labelled', { task: 'other', pool: 'other' });
  const { look, sent } = watchers();
  await ping('1');
  await look();
  expect(sent[0]?.message.notes[0]).toMatchObject({
    subject: { monitor: 'labelled' },
    silence: 'escapement alerts silence monitor=labelled,rule=failed --until 2h --reason "..."',
  });
});

test('a failure is told with its status and the end of what came with it, until a success', async () => {
  await rules(ALL);
  const ping = await aJob('failing');
  const { look } = watchers();
  await ping('7', `${'x\n'.repeat(30)}no disk left\n`);
  expect(await look()).toEqual(['firing: failing failed with exit status 7']);
  const { rows } = await db.pool.query<{ why: string[] }>('SELECT why FROM alert');
  expect(rows[0]?.why.slice(-2)).toEqual(['x', 'no disk left']);
  expect(rows[0]?.why).toHaveLength(11);
  await ping('7');
  expect(await look()).toEqual([]);
  await ping();
  await look();
  expect(await open()).toEqual([]);
});

test('a run that does not end is told, and ends with its end', async () => {
  await rules(ALL);
  const ping = await aJob('slow');
  const { look } = watchers();
  await ping('start');
  await later('slow', 2 * MINUTE);
  expect(await look()).toEqual(['firing: slow has begun, and not ended for more than 1 min']);
  await ping();
  await look();
  expect(await open()).toEqual([]);
});

test('nothing is told in a pause, and a job that is deleted is over', async () => {
  await rules(ALL);
  const ping = await aJob('moving');
  const { look } = watchers();
  await ping('1');
  await pauseMonitor(db, 'moving', null, ANN);
  expect(await look()).toEqual([]);
  await resumeMonitor(db, 'moving', ANN);
  expect(await look()).toEqual(['firing: moving failed with exit status 1']);
  await deleteMonitor(db, 'moving', ANN);
  await look();
  expect(await open()).toEqual([]);
});

describe('where no API takes pings', () => {
  /** As if one had said so long ago, for the last time, that it takes pings. */
  const heard = (agoMs: number) =>
    db.pool.query(`UPDATE alert_watch SET heard_at = now() - $1 * interval '1 ms'`, [agoMs]);
  /** As if so long had passed since pings were taken again. */
  const sinceBack = (ms: number) =>
    db.pool.query(
      `UPDATE monitor SET unheard_from = unheard_from - $1 * interval '1 ms', unheard_until = unheard_until - $1 * interval '1 ms',
        trouble_at = trouble_at - $1 * interval '1 ms'`,
      [ms],
    );
  const takesPings = () => notePingIntake(db);
  beforeEach(async () => {
    await rules(ALL);
    await watchers().look();
    await takesPings();
  });
  afterEach(async () => void (await db.pool.query('UPDATE alert_watch SET heard_at = NULL')));

  test('nothing is missed; what was missed before is told on, and a failure is told', async () => {
    await aJob('missed-before');
    await aJob('due-then');
    await later('missed-before', 120 * MINUTE);
    await takesPings();
    expect(await watchers().look()).toEqual(['firing: missed-before has not pinged: it was due more than 1 min ago']);
    const fails = await aJob('fails');
    await fails('1');
    await later('due-then', 65 * MINUTE);
    await heard(30 * MINUTE);
    expect(await watchers().look()).toEqual(['firing: fails failed with exit status 1']);
    expect((await open()).toSorted()).toEqual([
      'firing: fails failed with exit status 1',
      'firing: missed-before has not pinged: it was due more than 1 min ago',
    ]);
  });

  test('what was due or under way has its grace once more when one is back; the alert says so then', async () => {
    await aJob('due-then');
    const started = await aJob('under-way');
    await started('start');
    await later('under-way', 3 * MINUTE);
    await later('due-then', 65 * MINUTE);
    await heard(30 * MINUTE);
    await takesPings();
    expect(await watchers().look()).toEqual([]);
    await sinceBack(40 * SECOND);
    await takesPings();
    expect(await watchers().look()).toEqual([]);
    await sinceBack(25 * SECOND);
    await takesPings();
    expect((await watchers().look()).toSorted()).toEqual([
      'firing: due-then has not pinged: it was due more than 1 min ago',
      'firing: under-way has begun, and not ended for more than 1 min',
    ]);
    const { rows } = await db.pool.query<{ why: string[] }>('SELECT why FROM alert');
    for (const { why } of rows)
      expect(why.at(-1)).toMatch(/^no API took pings from .*Z to .*Z: what came then is lost; none has come since$/);
  });

  test('a ping that is sent again after that is in time', async () => {
    const ping = await aJob('retried');
    await later('retried', 65 * MINUTE);
    await heard(30 * MINUTE);
    await takesPings();
    await ping();
    await sinceBack(2 * MINUTE);
    await takesPings();
    expect(await watchers().look()).toEqual([]);
  });

  test('one that goes away again before the grace is over: it is given anew', async () => {
    await aJob('twice');
    await later('twice', 65 * MINUTE);
    await heard(30 * MINUTE);
    await takesPings();
    await sinceBack(50 * SECOND);
    await heard(45 * SECOND);
    await takesPings();
    await sinceBack(50 * SECOND);
    await takesPings();
    expect(await watchers().look()).toEqual([]);
    await sinceBack(15 * SECOND);
    await takesPings();
    expect(await watchers().look()).toEqual(['firing: twice has not pinged: it was due more than 1 min ago']);
  });

  test('for less than those who ping ask again, no grace is given', async () => {
    await aJob('silent');
    await later('silent', 65 * MINUTE);
    await heard(20 * SECOND);
    await takesPings();
    expect(await watchers().look()).toEqual(['firing: silent has not pinged: it was due more than 1 min ago']);
  });
});

test('of the rules of a kind the narrowest count: for a monitor, for labels, for all', async () => {
  await rules({
    rules: [
      { name: 'all', when: { kind: 'monitor-failed' } },
      { name: 'team', when: { kind: 'monitor-failed' }, on: { labels: { team: 'db' } } },
      { name: 'own', when: { kind: 'monitor-failed' }, on: { monitor: 'narrow' }, enabled: false },
    ],
  });
  const [narrow, wide] = [await aJob('narrow', { team: 'db' }), await aJob('wide', { team: 'db' })];
  await narrow('1');
  await wide('1');
  const { look } = watchers();
  expect(await look()).toEqual(['firing: wide failed with exit status 1']);
  expect((await db.pool.query('SELECT rule FROM alert')).rows).toEqual([{ rule: 'team' }]);
  await editMonitor(db, 'wide', { labels: {} }, ANN);
  await look();
  expect((await db.pool.query(`SELECT rule FROM alert WHERE state <> 'resolved'`)).rows).toEqual([{ rule: 'all' }]);
});

test.each([
  [{ task: 'nightly' }, 'monitor-failed is about monitors'],
  [{ pool: 'default' }, 'monitor-failed is about monitors'],
])('a rule for monitors on %j is refused', async (on, words) => {
  const document = { rules: [{ name: 'odd', when: { kind: 'monitor-failed' as const }, on }] };
  await expect(rules(document)).rejects.toThrow(words);
});
