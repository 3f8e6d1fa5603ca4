import { AxeBuilder } from '@axe-core/playwright';
import { MINUTE, newRunId, systemClock } from '@escapement/core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { onStage } from './stage/on-stage.ts';

describe.skipIf(chromiumPath === undefined)('what an outage has left', () => {
  const on = onStage();
  let page: Page;

  beforeAll(async () => {
    ({ page } = await on.asAdmin());
  });

  const held = async (task: string): Promise<number> => {
    const { rows } = await on.stage.db.pool.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 AND r.state = 'held'`,
      [task],
    );
    return rows[0]?.count ?? 0;
  };
  /** Three held runs of each of some tasks. */
  const holdMore = async (names: readonly string[]): Promise<void> => {
    for (const name of names)
      for (let index = 1; index <= 3; index++) {
        const at = new Date(systemClock.now().getTime() - index * MINUTE);
        await on.stage.db.pool.query(
          `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit,
             overlap, pool, need, due_at)
           SELECT $2::uuid, $3, r.namespace, r.task_id, r.task_version, r.plan_epoch, 'catch_up', 'held', 'it was missed',
             'held-' || $2::text, 1, 'skip', r.pool, r.need, $3
           FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 AND r.origin = 'schedule' ORDER BY r.id DESC LIMIT 1`,
          [name, newRunId(at), at],
        );
      }
  };
  const row = (task: string) =>
    page.getByRole('row', { name: new RegExp(`^(Move ${task}(, now number \\d+)? )?(Choose ${task} )?${task}`) });
  const dialog = () => page.getByRole('dialog');
  const does = async (name: string, reason: string) => {
    await dialog().getByLabel('Reason').fill(reason);
    await dialog().getByRole('button', { name, exact: true }).click();
  };

  test('Now leads there; each task says how many are held, since when, why, and what it is for', async () => {
    await page.getByRole('link', { name: /runs are held after an outage/ }).click();
    await page.getByRole('heading', { name: 'Recovery', exact: true }).waitFor();
    const invoices = row('send-invoices');
    for (const text of ['6 runs', 'Customers see them.', 'priority 5'])
      await invoices.getByText(text).first().waitFor();
    await invoices.getByText(/no scheduler planned it within .* held until somebody says/).waitFor();
  });

  test('several tasks are chosen at once: it is said of how many runs they are', async () => {
    const [invoices, sums] = [await held('send-invoices'), await held('sum-up')];
    const run = page.getByRole('button', { name: 'Run of these...' });
    expect(await run.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('checkbox', { name: 'Choose all 2 tasks that are shown' }).check();
    await page.getByRole('button', { name: 'Run of 2 tasks...' }).click();
    await dialog().getByText('Run what is held of 2 tasks?').waitFor();
    await dialog()
      .getByText(`${invoices + sums} runs go on.`)
      .waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('checkbox', { name: 'Choose sum-up' }).uncheck();
    await page.getByRole('button', { name: 'Drop of 1 task...' }).click();
    await dialog().getByText(`${invoices} runs end as missed`).waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('checkbox', { name: 'Choose send-invoices' }).uncheck();
  });

  /** The tasks of the plan, from the top on. */
  const planned = async () =>
    await page.evaluate("[...document.querySelectorAll('[data-handle]')].map((each) => each.dataset.handle)");
  const handle = (task: string, within = page) => within.getByRole('button', { name: new RegExp(`^Move ${task}`) });
  /** Where a pointer takes the row of a task, and where it lets it go. */
  const centre = async (task: string) => {
    const box = await handle(task).boundingBox();
    return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
  };
  const drag = async (task: string, to: string, byPx: number) => {
    const [from, goal] = [await centre(task), await centre(to)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x, from.y + byPx / 2);
    await page.mouse.move(goal.x, goal.y + byPx, { steps: 5 });
  };
  const says = (words: string) => page.getByRole('status').filter({ hasText: words }).waitFor();

  test('a task is put before the others by dragging it; Escape leaves it where it was', async () => {
    expect(await planned()).toEqual(['send-invoices', 'sum-up']);
    await drag('sum-up', 'send-invoices', -40);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(await planned()).toEqual(['send-invoices', 'sum-up']);
    await drag('sum-up', 'send-invoices', -40);
    await page.mouse.up();
    await page.getByText('In this order: sum-up, then the others by priority.').waitFor();
    expect(await planned()).toEqual(['sum-up', 'send-invoices']);
    await says('sum-up is now number 1 of 2.');
    await page.getByRole('button', { name: 'Run all...' }).click();
    await dialog().getByText('In this order: sum-up, then the others by priority.').waitFor();
    await dialog()
      .getByText(/they take the more urgent first all the same/)
      .waitFor();
    await dialog().getByLabel('At most so many a minute').fill('60');
    await dialog()
      .getByText(/they take the more urgent first all the same/)
      .waitFor({ state: 'hidden' });
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Reset order' }).click();
    await says('All go on by priority again.');
    expect(await planned()).toEqual(['send-invoices', 'sum-up']);
  });

  test('a finger drags as well, and does not scroll the page meanwhile', async () => {
    const touch = await page.context().newCDPSession(page);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const [from, goal] = [await centre('sum-up'), await centre('send-invoices')];
    for (const [type, y] of [
      ['touchStart', from.y],
      ['touchMove', from.y - 20],
      ['touchMove', goal.y - 40],
    ] as const)
      await touch.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x: from.x, y }] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByText('In this order: sum-up, then the others by priority.').waitFor();
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await touch.detach();
    await page.getByRole('button', { name: 'Reset order' }).click();
    expect(await planned()).toEqual(['send-invoices', 'sum-up']);
  });

  test('the same by keyboard, and by presses alone; the focus stays with the task', async () => {
    await handle('sum-up').focus();
    await page.keyboard.press('ArrowUp');
    await says('sum-up is now number 1 of 2.');
    expect(await planned()).toEqual(['sum-up', 'send-invoices']);
    expect(await page.evaluate('document.activeElement.dataset.handle')).toBe('sum-up');
    await page.keyboard.press('ArrowDown');
    await says('sum-up is now number 2 of 2.');
    await page.getByText('In this order: send-invoices, sum-up.').waitFor();
    await handle('sum-up').click();
    await page.getByRole('menuitem', { name: 'To the top' }).click();
    await says('sum-up is now number 1 of 2.');
    await expect.poll(() => page.evaluate('document.activeElement.dataset.handle')).toBe('sum-up');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Up' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Up' }).isDisabled()).toBe(true);
    expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Choose all 2 tasks that are shown' }).check();
    await page.getByRole('button', { name: 'Run of 2 tasks...' }).click();
    await dialog().getByText('In this order: sum-up, send-invoices.').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('checkbox', { name: 'Choose all 2 tasks that are shown' }).uncheck();
    await page.getByRole('button', { name: 'Reset order' }).click();
  });

  test('some runs are chosen one by one and dropped; the others stay held', async () => {
    await row('send-invoices').getByRole('link', { name: '6 runs' }).click();
    await page.waitForURL(/task=send-invoices/);
    const choices = page.getByRole('table', { name: 'Held runs of send-invoices' }).getByRole('checkbox');
    await choices.nth(0).check();
    await choices.nth(1).check();
    await page.getByRole('button', { name: 'Drop 2...' }).click();
    await dialog().getByText('2 runs end as missed').waitFor();
    await does('Drop them', 'they were sent by hand');
    await page.getByText('2 of 2 runs dropped').waitFor();
    await row('send-invoices').getByRole('link', { name: '4 runs' }).waitFor();
    expect(await held('send-invoices')).toBe(4);
    const { rows } = await on.stage.db.pool.query(
      `SELECT reason FROM run WHERE state = 'missed' AND reason LIKE 'dropped by%'`,
    );
    expect(rows).toEqual(Array.from({ length: 2 }, () => ({ reason: 'dropped by ann: they were sent by hand' })));
  });

  test('only the newest of a task is run: it is said beforehand how many older ones end', async () => {
    await page.getByRole('link', { name: 'Close', exact: true }).click();
    await row('send-invoices').getByRole('button', { name: 'Run...' }).click();
    await dialog().getByText('4 runs go on.').waitFor();
    await dialog().getByRole('combobox', { name: 'Which' }).or(dialog().getByLabel('Which')).first().click();
    await page.getByRole('option', { name: 'only the newest of each task' }).click();
    await dialog().getByText('3 older runs end as missed at once').waitFor();
    await does('Run them', 'only the newest matters');
    await page.getByText('1 of 4 runs let go, 3 older dropped').waitFor();
    await expect.poll(() => held('send-invoices')).toBe(0);
  });

  test('more than a hundred are typed; they drain at a rate, are paused, go on, and the rest is ended later', async () => {
    const many = await held('sum-up');
    await row('sum-up').getByRole('button', { name: 'Run...' }).click();
    await dialog().getByLabel('At most so many a minute').fill('60');
    await dialog().getByText('One every 1.0 s').waitFor();
    await dialog()
      .getByLabel(`Type ${many} to confirm`)
      .fill(String(many - 1));
    await does('Run them', 'the disk is back');
    await dialog().getByText(`It is done to ${many}. Type that number.`).waitFor();
    await dialog().getByLabel(`Type ${many} to confirm`).fill(String(many));
    await does('Run them', 'the disk is back');
    await page.getByText(/[1-9]\d* of \d+ runs let go/).waitFor();
    await page.getByText(/about .* to go/).waitFor();
    expect(await held('sum-up')).toBeGreaterThan(0);
    for (const [bulkAction, state] of [
      ['Pause', 'paused'],
      ['Go on', 'under way'],
      ['End it', 'cancelled'],
    ] as const) {
      await page.getByRole('button', { name: bulkAction, exact: true }).first().click();
      await does(bulkAction, `to ${bulkAction}`);
      await dialog().waitFor({ state: 'hidden' });
      await page.getByRole('list', { name: 'Under way' }).getByText(state, { exact: true }).first().waitFor();
    }
    expect(await held('sum-up')).toBeGreaterThan(0);
  });

  test('who may not decide sees the plan, and why nothing can be done', async () => {
    const { context, page: other } = await on.asViewer('/sign-in?returnTo=%2Frecovery');
    const all = other.getByRole('button', { name: 'Run all...' });
    await all.waitFor();
    expect(await all.getAttribute('aria-disabled')).toBe('true');
    await context.close();
  });

  test('who may not decide cannot change the order either, and is told why', async () => {
    await holdMore(['sync-customers', 'hourly-report']);
    const { context, page: other } = await on.asViewer('/sign-in?returnTo=%2Frecovery');
    const own = handle('sync-customers', other);
    await own.hover();
    expect(await own.getAttribute('aria-disabled')).toBe('true');
    await other.getByRole('tooltip').getByText('You need the right `rerun` for this.').waitFor();
    await own.press('ArrowDown');
    await own.press('Enter');
    await own.click({ force: true });
    expect(await other.getByRole('menuitem').count()).toBe(0);
    expect(await other.getByText('In this order').count()).toBe(0);
    await context.close();
  });

  test('what is run in an order starts in it, and what is under way says so', async () => {
    await page.reload();
    await page.getByRole('checkbox', { name: 'Choose sync-customers' }).check();
    await page.getByRole('checkbox', { name: 'Choose hourly-report' }).check();
    await handle('sync-customers').press('Home');
    await handle('hourly-report').press('Home');
    await says('hourly-report is now number 1 of');
    await page.getByRole('button', { name: 'Run of 2 tasks...' }).click();
    await dialog().getByText('In this order: hourly-report, sync-customers.').waitFor();
    await does('Run them', 'the report first');
    await page.getByText('first hourly-report, sync-customers').first().waitFor();
    await page.getByText('6 of 6 runs let go').waitFor();
    const went = async (): Promise<string[]> => {
      const { rows } = await on.stage.db.pool.query<{ name: string }>(
        `SELECT t.name FROM run r JOIN task t ON t.id = r.task_id WHERE r.key LIKE 'held-%' AND r.state IN ('succeeded', 'skipped')
         ORDER BY r.due_at`,
      );
      return rows.map(({ name }) => name);
    };
    await expect.poll(went).toEqual([...Array(3).fill('hourly-report'), ...Array(3).fill('sync-customers')]);
  });

  test('what is left is dropped; then it is said what would be here', async () => {
    const many = await held('sum-up');
    await page.getByRole('button', { name: 'Drop all...' }).click();
    await dialog().getByText(`${many} runs end as missed`).waitFor();
    if (many > 100) await dialog().getByLabel(`Type ${many} to confirm`).fill(String(many));
    await does('Drop them', 'nobody needs them');
    await page.getByText('Nothing is held: there is nothing to decide.').waitFor();
    await page.reload();
    await page
      .getByRole('region', { name: /^Decided/ })
      .getByText('Drop all that is held')
      .waitFor();
    const { rows } = await on.stage.db.pool.query(
      `SELECT action, reason FROM audit WHERE subject LIKE 'request:%' AND reason IS NOT NULL ORDER BY id`,
    );
    expect(rows.map(({ action, reason }) => `${action}: ${reason}`)).toEqual([
      'ask: they were sent by hand',
      'ask: only the newest matters',
      'ask: the disk is back',
      'pause: to Pause',
      'resume: to Go on',
      'cancel: to End it',
      'ask: the report first',
      'ask: nobody needs them',
    ]);
  });

  /** The first occurrence of a task, as a field of the browser takes it. */
  const firstOf = async (task: string): Promise<string> => {
    const { rows } = await on.stage.db.pool.query<{ at: Date }>(
      'SELECT min(r.scheduled_for) AS at FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1',
      [task],
    );
    return (rows[0]?.at ?? new Date(0))
      .toLocaleString('sv', { timeZone: 'Europe/Berlin' })
      .slice(0, 16)
      .replace(' ', 'T');
  };

  test('what was dropped is run by a backfill after all: from the page of the task, with a preview', async () => {
    await page.goto(`${on.stage.url}/tasks/${await on.stage.taskId('send-invoices')}`);
    await page.getByRole('button', { name: 'Backfill...' }).click();
    await page.waitForURL(/backfills\?start=send-invoices/);
    await dialog().getByText('Name a task and a beginning').waitFor();
    expect(await dialog().getByRole('button', { name: 'Start it' }).isDisabled()).toBe(true);
    await dialog()
      .getByLabel(/^From/)
      .fill(await firstOf('send-invoices'));
    await dialog().getByText('5 occurrences will run.').waitFor();
    await does('Start it', 'they are needed after all');
    const invoices = row('send-invoices');
    await invoices.getByText('done', { exact: true }).waitFor();
    await invoices.getByText('5 runs').waitFor();
    await invoices.getByText(/5 succeeded/).waitFor();
  });

  test('a backfill is stopped, and what has not begun is cancelled; it goes on where it stopped', async () => {
    await page.getByRole('button', { name: 'New backfill...' }).click();
    await dialog().getByLabel('Task').fill('reindex-search');
    await dialog()
      .getByLabel(/^From/)
      .fill(await firstOf('sum-up'));
    await dialog()
      .getByText(/such a schedule has no occurrences/)
      .waitFor();
    await dialog().getByLabel('Task').fill('sum-up');
    const willRun = dialog().getByText(/^\d+ occurrences will run\.$/);
    await willRun.waitFor();
    const many = Number.parseInt((await willRun.textContent()) ?? '', 10);
    if (many > 100) await dialog().getByLabel(`Type ${many} to confirm`).fill(String(many));
    await does('Start it', 'the sums are wrong');
    const sums = row('sum-up');
    for (const [bulkAction, doIt, state] of [
      ['Stop', 'Stop it', 'stopped'],
      ['Resume', 'Resume it', 'under way'],
    ] as const) {
      await sums.getByRole('button', { name: bulkAction, exact: true }).click();
      await does(doIt, `to ${bulkAction}`);
      await dialog().waitFor({ state: 'hidden' });
      await sums.getByText(state, { exact: true }).waitFor();
    }
    const { rows } = await on.stage.db.pool.query(
      `SELECT action, reason FROM audit WHERE subject LIKE 'backfill:%' AND reason IS NOT NULL ORDER BY id`,
    );
    expect(rows.map(({ action, reason }) => `${action}: ${reason}`)).toEqual([
      'start: they are needed after all',
      'start: the sums are wrong',
      'stop: to Stop',
      'resume: to Resume',
    ]);
  });
});
