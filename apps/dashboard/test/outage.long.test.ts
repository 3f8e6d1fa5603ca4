import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, type Watched } from './stage/browser.ts';
import { reportStories } from './stage/on-stage.ts';
import { type OutageStage, openOutageStage } from './stage/outage.ts';

describe.skipIf(chromiumPath === undefined)(
  'Redis goes away, comes back, and somebody decides about what was due',
  () => {
    let stage: OutageStage;
    let page: Page;
    let fleet: Page;
    const opened: Watched[] = [];
    reportStories(() => opened);

    beforeAll(async () => {
      stage = await openOutageStage();
      for (let pages = 0; pages < 2; pages++) opened.push(await stage.open());
      [page, fleet] = opened.map((each) => each.page) as [Page, Page];
      await fleet.goto(`${stage.url}/fleet`);
    }, 600_000);

    const count = async (task: string, what: string): Promise<number> => {
      const { rows } = await stage.db.pool.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 AND ${what}`,
        [task],
      );
      return rows[0]?.count ?? 0;
    };
    const verdict = () => page.getByRole('status').filter({ hasText: /needs? you/ });
    const row = (task: string) =>
      page.getByRole('row').filter({ has: page.getByRole('link', { name: task, exact: true }) });
    const dialog = () => page.getByRole('dialog');
    /** What Redis has kept from starting: on a busy machine, others may be held later. */
    const kept = async (task: string): Promise<string[]> => {
      const { rows } = await stage.db.pool.query<{ id: string }>(
        `SELECT r.id FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 AND r.state = 'held' AND r.reason LIKE 'Redis was away%'`,
        [task],
      );
      return rows.map(({ id }) => id);
    };
    const succeeded = async (ids: readonly string[]): Promise<boolean> => {
      const { rows } = await stage.db.pool.query(`SELECT FROM run WHERE id = ANY ($1) AND state <> 'succeeded'`, [ids]);
      return rows.length === 0;
    };

    test('while all is well, runs start, and nothing is said of Redis', async () => {
      for (const task of ['send-invoices', 'send-reminders'])
        await expect.poll(() => count(task, `r.state = 'succeeded'`)).toBeGreaterThan(0);
      await fleet.getByRole('table', { name: 'Schedulers' }).waitFor();
      expect(await fleet.getByText('Redis does not answer').count()).toBe(0);
    });

    test('Redis is away: Now says so first, with its evidence on the page of the fleet, and no run starts', async () => {
      stage.cutRedis();
      // The worst is named first.
      await verdict()
        .filter({ hasText: /needs? you: Redis does not answer: no run starts/ })
        .waitFor();
      await fleet.getByText('Redis does not answer: no run starts').waitFor();
      await fleet.getByText('Away since').waitFor();
      await page.getByRole('list').getByRole('link', { name: 'Redis does not answer: no run starts' }).click();
      await page.getByRole('heading', { name: 'Fleet', exact: true }).waitFor();
      await page.getByText('Redis does not answer: no run starts').waitFor();
      await page.goBack();
      const started = `r.started_at > (SELECT min(since) + interval '1 s' FROM alert WHERE kind = 'redis-away')`;
      for (const task of ['send-invoices', 'send-reminders'])
        await expect.poll(() => count(task, `r.state = 'held'`)).toBeGreaterThan(1);
      for (const task of ['send-invoices', 'send-reminders']) expect(await count(task, started)).toBe(0);
    });

    test('Redis is back: both pages say that, too, and Now leads to what is held', async () => {
      stage.joinRedis();
      await fleet.getByText('Redis answers again: runs start').waitFor();
      await expect.poll(() => verdict().textContent()).not.toContain('Redis does not answer');
      await fleet.getByRole('main').getByRole('link', { name: 'Recovery' }).click();
      await fleet.getByRole('heading', { name: 'Recovery', exact: true }).waitFor();
      await page.getByRole('link', { name: /runs are held after an outage/ }).click();
      await page.getByRole('heading', { name: 'Recovery', exact: true }).waitFor();
      await row('send-invoices')
        .getByText(/Redis was away/)
        .waitFor();
    });

    test('by mouse: the held runs of a task are let go, and they really run', async () => {
      const held = await kept('send-invoices');
      expect(held.length).toBeGreaterThan(1);
      await row('send-invoices').getByRole('button', { name: 'Run...' }).click();
      await dialog().getByLabel('Reason').fill('Redis is back');
      await dialog().getByRole('button', { name: 'Run them', exact: true }).click();
      await page.getByText(/(\d+) of \1 runs let go/).waitFor();
      await expect.poll(() => succeeded(held)).toBe(true);
    });

    test('by keyboard alone: those of the other one', async () => {
      const held = await kept('send-reminders');
      expect(held.length).toBeGreaterThan(1);
      const { keyboard } = page;
      await page.goto(stage.url);
      await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
      await tabTo(page, /runs? (is|are) held after an outage/);
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Recovery', exact: true }).waitFor();
      await row('send-reminders').waitFor();
      await tabTo(page, /^Run\.\.\.$/);
      await keyboard.press('Enter');
      await dialog().getByText('Run what is held of send-reminders?').waitFor();
      await tabTo(page, /^Reason/);
      await keyboard.type('Redis is back, and it is time');
      await tabTo(page, /^Run them$/);
      await keyboard.press('Enter');
      await expect.poll(() => succeeded(held)).toBe(true);
    });

    test('the audit says who it was, and why', async () => {
      await page.goto(`${stage.url}/audit`);
      for (const reason of ['Redis is back', 'Redis is back, and it is time'])
        await page.getByRole('row').filter({ hasText: 'ann' }).getByText(reason, { exact: true }).first().waitFor();
      const { rows } = await stage.db.pool.query(
        `SELECT principal_name AS who, reason FROM audit WHERE subject LIKE 'request:%' AND action = 'ask' ORDER BY id`,
      );
      expect(rows).toEqual([
        { who: 'ann', reason: 'Redis is back' },
        { who: 'ann', reason: 'Redis is back, and it is time' },
      ]);
    });
  },
);

/** Presses Tab until what is named so has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab');
    const named = await page.evaluate<string>(
      `((at) => at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? '')(document.activeElement)`,
    );
    if (name.test(named.trim())) return;
  }
  throw new Error(`no press of Tab leads to ${name}`);
}
