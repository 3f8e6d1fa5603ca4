import type { ConditionOf } from '@escapement/core/alerts';
import { deleteTask } from '@escapement/operations';
import { listAlerts } from '@escapement/store';
import { by } from '@escapement/testkit';
import { describe, expect, it } from 'vitest';
import { alertedFleet } from './alerted-fleet.ts';

const { fleet, db, redis, fails, succeeds, run, crowd, rules, watchers } = await alertedFleet();

describe('a failure', () => {
  it('fires from so many in a row on, or so many of the last ones', async () => {
    await rules({
      rules: [
        { name: 'three', when: { kind: 'failed', inARow: 3 }, on: { task: 'flaky' } },
        { name: 'often', when: { kind: 'failed', of: { failures: 2, runs: 3 } }, on: { task: 'now-and-then' } },
      ],
    });
    const { look } = watchers();
    for (const name of ['flaky', 'now-and-then']) await fleet.save({ name });
    fails('flaky');
    await run('flaky');
    await run('flaky');
    expect(await look()).toEqual([]);
    await run('flaky');
    expect(await look()).toEqual(['firing: flaky failed 3 times in a row']);
    fails('now-and-then');
    await run('now-and-then');
    succeeds('now-and-then');
    await run('now-and-then');
    expect(await look()).toEqual([]);
    fails('now-and-then');
    await run('now-and-then');
    expect(await look()).toEqual(['firing: now-and-then failed in 2 of its last 3 runs']);
    succeeds('now-and-then');
    await run('now-and-then');
    expect(await look()).toEqual(['resolved: now-and-then failed in 2 of its last 3 runs']);
  });

  it.each<[string, ConditionOf<'failed'>, string]>([
    ['in-a-row', { kind: 'failed', inARow: 3 }, 'failed 3 times in a row'],
    ['of-the-last', { kind: 'failed', of: { failures: 3, runs: 4 } }, 'failed in 3 of its last 3 runs'],
  ])('is counted %s though a crowd of runs that never began lies between', async (name, when, words) => {
    await rules({ rules: [{ name: 'counted', when }] });
    await fleet.save({ name });
    fails(name);
    await run(name);
    const second = await run(name);
    const { look } = watchers();
    expect(await look()).toEqual([]);
    await crowd(second);
    await run(name);
    expect(await look()).toEqual([`firing: ${name} ${words}`]);
    expect(await look()).toEqual([]);
    succeeds(name);
    await run(name);
    await run(name);
    expect(await look()).toEqual([`resolved: ${name} ${words}`]);
  });

  it('is judged by the rules that were saved before it, also a moment before', async () => {
    const { look } = watchers();
    await fleet.save({ name: 'at-once' });
    expect(await look()).toEqual([]);
    await rules({ rules: [{ name: 'just-saved', when: { kind: 'failed', inARow: 1 } }] });
    fails('at-once');
    await run('at-once');
    await look();
    expect(await listAlerts(db, { limit: 10 })).toMatchObject([{ rule: 'just-saved' }]);
  });

  it('is judged by the narrowest rule, and by none where that is switched off', async () => {
    await rules({
      rules: [
        { name: 'all', when: { kind: 'failed' } },
        { name: 'quiet', when: { kind: 'failed' }, on: { labels: { team: 'lab' } }, enabled: false },
      ],
    });
    await fleet.save({ name: 'of-the-lab', labels: { team: 'lab' } });
    await fleet.save({ name: 'of-the-shop', labels: { team: 'shop' } });
    for (const name of ['of-the-lab', 'of-the-shop']) {
      fails(name);
      await run(name);
    }
    expect(await watchers().look()).toEqual(['firing: of-the-shop failed']);
  });

  it('is over where its task is deleted, or its rule switched off', async () => {
    for (const name of ['deleted', 'not-meant']) {
      await fleet.save({ name });
      fails(name);
      await run(name);
    }
    expect(await watchers().look()).toHaveLength(2);
    await deleteTask(db, 'deleted', by('ann'));
    expect(await watchers().look()).toEqual(['resolved: deleted failed']);
    await rules({ rules: [{ name: 'failed', when: { kind: 'failed' }, enabled: false }] });
    expect(await watchers().look()).toEqual(['resolved: not-meant failed']);
  });

  it('is over where its rule means other tasks now, or a narrower one has come', async () => {
    const names = ['still-meant', 'left-out', 'overruled'];
    for (const name of names) {
      await fleet.save({ name, labels: { team: name === 'left-out' ? 'lab' : 'shop' } });
      fails(name);
      await run(name);
    }
    await rules({ rules: [{ name: 'failed', when: { kind: 'failed' } }] });
    expect(await watchers().look()).toHaveLength(3);
    await rules({
      rules: [
        { name: 'failed', when: { kind: 'failed' }, on: { labels: { team: 'shop' } } },
        { name: 'not-told', when: { kind: 'failed' }, on: { task: 'overruled' }, enabled: false },
      ],
    });
    expect((await watchers().look()).toSorted()).toEqual(['resolved: left-out failed', 'resolved: overruled failed']);
    const [alert] = await listAlerts(db, { states: ['resolved'], limit: 1 });
    expect(alert?.resolvedWhy).toBe('its rule does not mean this task any more');
  });

  it('has the severity that its rule has now', async () => {
    redis.awayMs = 30_000;
    await rules({ rules: [{ name: 'redis', when: { kind: 'redis-away' }, severity: 'warning' }] });
    await watchers().look();
    await rules({ rules: [{ name: 'redis', when: { kind: 'redis-away' }, severity: 'critical' }] });
    await watchers().look();
    expect(await listAlerts(db, { limit: 10 })).toMatchObject([
      { state: 'firing', severity: 'critical', labels: { severity: 'critical' } },
    ]);
  });

  it('is over where its rule asks for something else now', async () => {
    await rules({ rules: [{ name: 'one', when: { kind: 'redis-away' } }] });
    redis.awayMs = 30_000;
    expect(await watchers().look()).toEqual(['firing: Redis does not answer: no run starts']);
    await rules({ rules: [{ name: 'one', when: { kind: 'failed' } }] });
    expect(await watchers().look()).toEqual(['resolved: Redis does not answer: no run starts']);
  });

  it('is told though another rule cannot be judged', async () => {
    await rules({
      rules: [
        { name: 'failed', when: { kind: 'failed' } },
        { name: 'broken', when: { kind: 'suspicious', logHas: '(' } },
      ],
    });
    for (const name of ['sound', 'unsound']) await fleet.save({ name });
    fails('unsound');
    const errors: string[] = [];
    const { look } = watchers([], (error) => errors.push(String(error)));
    await look();
    await run('sound');
    await run('unsound');
    const { look: later } = watchers([], (error) => errors.push(String(error)));
    expect(await later()).toEqual(['firing: unsound failed']);
    expect([...new Set(errors)]).toEqual([expect.stringContaining('invalid regular expression')]);
  });
});
