import { actionOf, processPrincipal } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { addMisfit } from './stage/misfit.ts';
import { onStage } from './stage/on-stage.ts';
import { addUnknown } from './stage/unknown.ts';

const BY = actionOf(processPrincipal('the stage'));

describe.skipIf(chromiumPath === undefined)('the page of a task, and its runs', () => {
  const on = onStage();

  const pathOf = async (name: string, more = '') => `/tasks/${await on.stage.taskId(name)}${more}`;

  test('a day and an hour of its history lead to the runs of that time; a table has the same', async () => {
    const { context, page, complaints } = await on.asAdmin(await pathOf('backup-shop'));
    const history = page.getByRole('region', { name: 'History' });
    await history.locator('a[title$="5 succeeded, 1 missed"]').last().click();
    await page.waitForURL(/query=task.+since.+until/);
    await page.getByRole('cell', { name: 'missed' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(1 + 6);
    await page.goBack();
    await history.getByRole('link', { name: 'By hour' }).click();
    await page.waitForURL(/history=hour/);
    await history.getByText('As a table').click();
    const table = history.getByRole('table', { name: 'Runs by hour' });
    await table.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('cell', { name: 'succeeded' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(1 + 1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('its durations are a table, too; tasks before and after it are links', async () => {
    const { context, page } = await on.asAdmin(await pathOf('backup-shop'));
    const durations = page.getByRole('region', { name: 'How long it takes' });
    await durations.getByText('As a table').click();
    await durations.getByRole('table', { name: 'How long runs took, by day' }).getByText('min').first().waitFor();
    const chain = page.getByRole('region', { name: 'Tasks before and after it' });
    await chain.getByRole('link', { name: 'close-shop' }).waitFor();
    expect(await chain.getByRole('link').allTextContents()).toEqual([
      ...['close-shop', 'check-backup', 'copy-backup', 'tell-operators', 'tell-operators', 'tell-operators'],
    ]);
    await chain.getByRole('link', { name: 'check-backup' }).click();
    await page.getByRole('heading', { name: 'check-backup', exact: true }).waitFor();
    await context.close();
  });

  test('its last runs are replayed another way; a task that never ran says so', async () => {
    const { context, page } = await on.asAdmin(await pathOf('hourly-report'));
    await page.getByRole('link', { name: 'What if...' }).click();
    const whatIf = page.getByRole('region', { name: 'What if' });
    expect(await whatIf.getByLabel('Task').inputValue()).toBe('hourly-report');
    await whatIf.getByText('Give a schedule, a limit, or').waitFor();
    await whatIf.getByRole('textbox', { name: 'Schedule' }).fill('*/5 25 * * *');
    await whatIf.getByRole('button', { name: 'Replay' }).click();
    await whatIf.getByRole('alert').getByText(/25/).first().waitFor();
    await whatIf.getByRole('textbox', { name: 'Schedule' }).fill('5,35 * * * *');
    await whatIf.getByRole('button', { name: 'Replay' }).click();
    await whatIf.getByText('5,35 * * * * is by the clock of Europe/Berlin.').waitFor();
    // Half an hour apart instead of an hour.
    const due = whatIf.getByRole('row', { name: /^due/ }).getByRole('cell');
    const [now = 0, then = 0] = (await due.allTextContents()).map((text) => Number(text.replaceAll(',', '')));
    expect(Math.abs(then - 2 * now)).toBeLessThanOrEqual(1);
    await whatIf.getByLabel('Task').fill('daily-digest');
    await whatIf.getByRole('button', { name: 'Replay' }).click();
    await whatIf.getByText(/no run of daily-digest/).waitFor();
    await context.close();
  });

  test('it is run with a payload; what is not JSON is refused at once, and what the API refuses in its words', async () => {
    const { context, page } = await on.asAdmin(await pathOf('tell-operators'));
    await page.getByRole('button', { name: 'Run now' }).click();
    const dialog = page.getByRole('dialog');
    const run = dialog.getByRole('button', { name: 'Run now' });
    await dialog.getByLabel('Payload').fill('{"day": ');
    await run.click();
    await dialog.getByText('This is not JSON').waitFor();
    await dialog.getByLabel('Payload').fill(JSON.stringify('x'.repeat(70_000)));
    await run.click();
    await dialog
      .getByText(/64 KiB/)
      .last()
      .waitFor();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Payload').fill('{"day": "2027-02-03"}');
    await run.click();
    await page.waitForURL(/\/runs\//);
    await page.getByText('2027-02-03').waitFor();
    const { rows } = await on.stage.db.pool.query(
      `SELECT r.payload FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = 'tell-operators' AND r.origin = 'trigger'`,
    );
    expect(rows).toEqual([{ payload: { day: '2027-02-03' } }]);
    await context.close();
  });

  test('a schedule over the nights in which the clock changes says what becomes of them before it is saved', async () => {
    const { context, page } = await on.asAdmin(await pathOf('daily-digest'));
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Expression' }).fill('30 2 * * *');
    const preview = page.getByRole('region', { name: 'What it will do' });
    await preview.getByText('at 02:30 every day').waitFor();
    // One night in which 02:30 is not there, and one in which it is there twice.
    await preview.getByText('Clocks change').first().waitFor();
    expect(await preview.getByText('Clocks change').count()).toBe(2);
    await preview.getByText(/does not exist/).waitFor();
    await preview.getByText(/twice/).waitFor();
    await page.getByLabel('Reason').fill('the report is needed by six');
    await page.getByRole('button', { name: 'Save', disabled: false }).click();
    await page.getByRole('heading', { name: 'daily-digest', exact: true }).waitFor();
    await page.getByText('at 02:30 every day').first().waitFor();
    const { rows } = await on.stage.db.pool.query(
      `SELECT reason FROM audit WHERE subject = 'task:daily-digest' AND action = 'save' ORDER BY id DESC LIMIT 1`,
    );
    expect(rows).toEqual([{ reason: 'the report is needed by six' }]);
    await context.close();
  });

  test('who paused what, and why, is found', async () => {
    const { context, page } = await on.asAdmin(await pathOf('tell-operators'));
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('the pager is being moved');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.goto(`${on.stage.url}/tasks?state=paused`);
    await page
      .getByRole('row', { name: /tell-operators/ })
      .getByTitle('paused by ann: the pager is being moved')
      .waitFor();
    await page.getByRole('link', { name: 'tell-operators' }).first().click();
    await page.getByText('Paused by ann').waitFor();
    await page.getByText('the pager is being moved').first().waitFor();
    await context.close();
  });

  test('by keyboard alone: an act is found on the page, done, and taken back; so is one for all tasks', async () => {
    const { context, page, complaints } = await on.asAdmin(await pathOf('hourly-report'));
    const { keyboard } = page;
    const dialog = page.getByRole('dialog');
    const line = page.locator('#content').getByRole('status').first();
    const done = async (doIt: string, reason: string) => {
      await dialog.getByLabel('Reason').waitFor();
      await keyboard.type(reason);
      await dialog.getByRole('button', { name: doIt, exact: true }).focus();
      await keyboard.press('Enter');
      await dialog.waitFor({ state: 'hidden' });
    };
    await page.getByRole('button', { name: 'Run now' }).waitFor();
    await keyboard.press('.');
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Run now');
    await keyboard.press('.');
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Edit');
    await keyboard.press('Control+k');
    await dialog.getByRole('option', { name: /^Pause ?On this page/ }).waitFor();
    await keyboard.type('pause');
    await keyboard.press('Enter');
    await done('Pause', 'by key');
    await line.getByText('hourly-report is paused.').waitFor();
    // The focus is where the act was.
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Pause');
    await line.getByRole('button', { name: 'Undo' }).focus();
    await keyboard.press('Enter');
    await line.getByText('It is taken back.').waitFor();
    await keyboard.press('Control+k');
    await dialog.getByRole('option', { name: /^Pause all tasks/ }).waitFor();
    await keyboard.type('pause all');
    await keyboard.press('Enter');
    await done('Pause all tasks', 'by key, all');
    await line.getByText('All tasks are paused.').waitFor();
    await keyboard.press('u');
    await line.getByText('It is taken back.').waitFor();
    const { rows } = await on.stage.db.pool.query<{ told: string }>(
      `SELECT action || ': ' || reason AS told FROM audit WHERE reason LIKE 'by key%' OR reason = 'Undo' ORDER BY id`,
    );
    expect(rows.map(({ told }) => told)).toEqual([
      ...['pause: by key', 'resume: Undo', 'freeze: by key, all', 'unfreeze: Undo'],
    ]);
    await keyboard.press('Control+k');
    await keyboard.type('theme: dark');
    await keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  /** Runs of copy-backup by their states. */
  const copies = async () => {
    const { rows } = await on.stage.db.pool.query<{ state: string; count: number }>(
      `SELECT r.state, count(*)::integer AS count FROM run r JOIN task t ON t.id = r.task_id
       WHERE t.name = 'copy-backup' GROUP BY 1 ORDER BY 1`,
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };

  test('a run that is unknown gets the end that somebody says, with how they know', async () => {
    const [run = ''] = await addUnknown(on.stage.db, 'copy-backup', 122);
    const { context, page, complaints } = await on.asAdmin(`/runs/${run}`);
    const open = page.getByRole('button', { name: 'Say what became of it' });
    await open.click();
    const dialog = page.getByRole('dialog');
    const save = dialog.getByRole('button', { name: 'Save it' });
    expect(await save.isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'What became of it' }).click();
    await page.getByRole('option', { name: 'It did its work: it succeeded' }).click();
    await dialog.getByLabel('Reason').fill('the copy is there');
    await save.click();
    await dialog.waitFor({ state: 'hidden' });
    await open.waitFor({ state: 'hidden' });
    await page.getByText('resolved as succeeded by ann: the copy is there').first().waitFor();
    expect(await copies()).toEqual({ succeeded: 1, unknown: 121 });
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('by keyboard alone: over the rows of tables and lists; what a page does not have is not in the list of keys', async () => {
    const { context, page } = await on.asAdmin('/recovery');
    const { keyboard } = page;
    const focus = page.locator(':focus');
    const dialog = page.getByRole('dialog');
    const choice = dialog.getByText('Choose the row, or not any more');
    await page.getByRole('table').first().waitFor();
    await keyboard.press('j');
    const task = (await focus.textContent()) ?? '';
    const box = page.getByRole('checkbox', { name: task });
    await keyboard.press('x');
    expect(await box.isChecked()).toBe(true);
    await keyboard.press('j');
    await expect.poll(() => focus.textContent()).not.toBe(task);
    await keyboard.press('k');
    await keyboard.press('x');
    expect(await box.isChecked()).toBe(false);
    await keyboard.press('?');
    await choice.waitFor();
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: task, exact: true }).waitFor();

    await keyboard.press('g');
    await keyboard.press('e');
    await page.getByRole('button', { name: 'Mute' }).first().waitFor();
    await keyboard.press('j');
    await expect.poll(() => focus.getAttribute('href')).toMatch(/^\/runs\//);
    for (const action of ['Run again', 'Resolve', 'Mute', 'Run again']) {
      await keyboard.press('.');
      await expect.poll(() => focus.textContent()).toBe(action);
    }
    await keyboard.press('?');
    await dialog.getByText('Next row').waitFor();
    expect(await choice.count()).toBe(0);
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => focus.textContent()).toBe('Run again');

    // A row without a link has the focus itself.
    await keyboard.press('g');
    await keyboard.press('w');
    await page.getByText('takes runs').waitFor();
    await keyboard.press('j');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TR');
    await keyboard.press('.');
    await expect.poll(() => focus.textContent()).toBe('Pause');
    await context.close();
  });

  test('an act is done to all runs of a filter: counted first, typed where they are many, and followed to its end', async () => {
    const { context, page, complaints } = await on.asAdmin('/runs?query=task:copy-backup');
    await page.getByRole('button', { name: 'Act on all of this filter...' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The filter finds no run to which this can be done.').waitFor();
    const doIt = dialog.getByRole('button', { name: 'Do it' });
    expect(await doIt.isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'What is done' }).click();
    await page.getByRole('option', { name: 'Say what became of those that are unknown' }).click();
    await dialog.getByText('121 unknown runs get the end that you say.').waitFor();
    await dialog.getByRole('combobox', { name: 'What became of it' }).click();
    await page.getByRole('option', { name: 'It did its work: it succeeded' }).click();
    await dialog.getByLabel('Type 121 to confirm').fill('12');
    await dialog.getByLabel('Reason').fill('all copies are there');
    await doIt.click();
    await dialog.getByText('It is done to 121. Type that number.').waitFor();
    await dialog.getByLabel('Type 121 to confirm').fill('121');
    await doIt.click();
    await page.getByText('What became of them was saved: 121 of 121 runs').waitFor();
    expect(await copies()).toEqual({ succeeded: 122 });
    const { rows } = await on.stage.db.pool.query(`SELECT reason FROM audit WHERE action = 'ask'`);
    expect(rows).toEqual([{ reason: 'all copies are there' }]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('what a bulk action was done to is listed, and what was refused, with why', async () => {
    await addMisfit(on.stage.db, 'file-orders');
    const { context, page, complaints } = await on.asAdmin('/runs?query=task:file-orders');
    await page.getByRole('button', { name: 'Act on all of this filter...' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 runs run once more').waitFor();
    await dialog.getByLabel('Reason').fill('the disk is back');
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await page.getByText('They were run again: 1 of 2 runs, refused: 1').waitFor();
    // What is over is halted no more.
    expect(await page.getByRole('button', { name: 'End it' }).count()).toBe(0);
    await page.getByText('Refused, and why: 1').click();
    const refused = page.getByRole('list', { name: 'What was refused, and why' }).getByRole('listitem');
    expect(await refused.textContent()).toMatch(/^file-orders: .*payload\.day/);
    await page.getByRole('button', { name: 'Results' }).click();
    const results = page.getByRole('table', { name: 'What it was done to' });
    await results.getByRole('row', { name: /^file-orders.* done .*see it/ }).waitFor();
    await results.getByRole('link', { name: 'see it' }).click();
    await page.getByText('It repeats run').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('the tries of a run are a picture, and a table: what it waited, how long each took, and the pause between them', async () => {
    const { context, page, complaints } = await on.asAdmin(
      `/runs/${await on.stage.latestRun('import-orders', 'failed')}`,
    );
    const tries = page.getByRole('figure', { name: 'Tries in time' });
    await tries.getByText('As a table').click();
    const rows = tries.getByRole('table', { name: 'Tries in time' }).getByRole('row');
    await expect
      .poll(() => rows.allTextContents())
      .toEqual([
        expect.stringMatching(/^Try/),
        expect.stringMatching(/^Try 1waited to begin/),
        expect.stringMatching(/^Try 1failed/),
        expect.stringMatching(/^Try 2pause between tries/),
        expect.stringMatching(/^Try 2waited to begin/),
        expect.stringMatching(/^Try 2failed/),
      ]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a task whose schedule never fires is among what needs attention, and leads to the list of such tasks', async () => {
    const schedule = { kind: 'cron', expression: '0 0 * * *', timeZone: 'UTC', endAt: '2020-01-01T00:00:00Z' } as const;
    const handler = { type: 'shell', command: 'true' } as const;
    await saveTask(on.stage.db, { name: 'old-feed', schedule, handler }, { source: 'cli', by: BY });
    const { context, page, complaints } = await on.asAdmin();
    await page
      .getByRole('link', { name: /old-feed never fires/ })
      .first()
      .click();
    await page.waitForURL(/state=never_fires/);
    // The link of the page before has more words, and may be there for a moment.
    await page.getByRole('link', { name: 'old-feed', exact: true }).click();
    await page.getByText('No instant of its schedule is to come.').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('from a run that failed one gets to those that failed so, and to the errors of its task', async () => {
    const { context, page } = await on.asAdmin(`/runs/${await on.stage.latestRun('import-orders', 'failed')}`);
    await page.getByRole('link', { name: 'Runs with the same error' }).first().click();
    await page.waitForURL(/query=error/);
    await page.getByRole('cell', { name: 'failed' }).first().waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'All errors of the task' }).first().click();
    await page.waitForURL(/task=import-orders/);
    await page.getByRole('button', { name: 'Run again' }).first().click();
    await page
      .getByRole('dialog')
      .getByText(/^\d+ runs? of \d+ that failed so in that time/)
      .waitFor();
    await context.close();
  });

  test('who may only look sees why they cannot act on runs', async () => {
    const [run = ''] = await addUnknown(on.stage.db, 'tell-operators', 1);
    const { context, page } = await on.asViewer(`/sign-in?returnTo=${encodeURIComponent(`/runs/${run}`)}`);
    for (const name of ['Say what became of it', 'Act on all of this filter...']) {
      const button = page.getByRole('button', { name });
      await button.waitFor();
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await button.hover();
      await page.getByText('You need the right `rerun` for this.').waitFor();
      await page.goto(`${on.stage.url}/runs`);
    }
    await context.close();
  });

  test('the end of a log is followed while one is there: going up by a key ends that, and going to the end takes it up', async () => {
    const { context, page } = await on.asAdmin(`/runs/${await on.stage.latestRun('reindex-search', 'running')}`);
    const log = page.getByRole('log');
    const follow = page.getByRole('checkbox', { name: 'Follow the end' });
    await log.getByText('indexed').last().waitFor();
    const scrolled = () => page.evaluate(`document.querySelector('[role=log]').scrollTop`);
    await expect.poll(scrolled).toBeGreaterThan(0);
    expect(await follow.isChecked()).toBe(true);
    await log.press('Home');
    await page.locator('input[type=checkbox]:not(:checked)').and(follow).waitFor();
    await expect.poll(scrolled).toBe(0);
    await log.press('End');
    await page.locator('input[type=checkbox]:checked').and(follow).waitFor();
    await context.close();
  });
});
