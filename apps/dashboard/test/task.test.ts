import { describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { onStage } from './stage/on-stage.ts';

describe.skipIf(chromiumPath === undefined)('the page of a task', () => {
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
});
