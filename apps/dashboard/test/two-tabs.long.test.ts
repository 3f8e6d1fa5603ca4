import { actionOf, processPrincipal } from '@escapement/core';
import { createUser, requireTask, saveTask } from '@escapement/operations';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { onStage, signIn } from './stage/on-stage.ts';
import { VIEWER } from './stage/stage.ts';

const BY = actionOf(processPrincipal('the test'));
const BEN = { name: 'ben', password: 'correct horse battery' };

describe.skipIf(chromiumPath === undefined)('two tabs', () => {
  const on = onStage();

  beforeAll(async () => {
    await createUser(on.stage.db, { ...BEN, role: 'admin' }, BY);
  });

  /** A task at 02:30 of that name; where it is edited. */
  async function addTask(name: string): Promise<string> {
    const schedule = { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Berlin' } as const;
    await saveTask(
      on.stage.db,
      { name, schedule, handler: { type: 'shell', command: 'true' } },
      { source: 'api', by: BY },
    );
    return `/tasks/${await on.stage.taskId(name)}/edit`;
  }
  const expression = (page: Page) => page.getByRole('textbox', { name: 'Expression' });
  const description = (page: Page) => page.getByRole('textbox', { name: 'Description' });
  const reason = (page: Page) => page.getByLabel('Reason');
  const save = (page: Page) => page.getByRole('button', { name: 'Save', disabled: false });

  /** One saves first; the other is refused, sees what has changed, keeps all that was typed, and puts it over that. */
  async function meet(name: string, first: Page, second: Page): Promise<void> {
    await expression(first).fill('0 4 * * *');
    await first.getByText('at 04:00 every day').waitFor();
    await description(second).fill('Typed in the second tab.');
    await second.getByText('Changes: description').waitFor();
    await reason(second).fill('a reason that was typed, too');
    // The second looks no more before it saves: as where both press at once.
    await second.route('**/v1/tasks/*/preview**', (route) => route.abort());
    await save(first).click();
    await first.getByRole('heading', { name, exact: true }).waitFor();
    await save(second).click();
    const refused = second.getByRole('alert').filter({ hasText: 'It would do something else now' });
    await refused.getByText('Somebody has saved the task since you looked at it: schedule.').waitFor();
    await refused.getByText(/With your change it would run at 04:00 every day/).waitFor();
    expect(await description(second).inputValue()).toBe('Typed in the second tab.');
    expect(await reason(second).inputValue()).toBe('a reason that was typed, too');
    await second.unroute('**/v1/tasks/*/preview**');
    await second.getByRole('button', { name: 'Put my change over theirs' }).click();
    await second.getByText('at 04:00 every day').first().waitFor();
    await save(second).click();
    await second.getByRole('heading', { name, exact: true }).waitFor();
    expect((await requireTask(on.stage.db, name)).definition).toMatchObject({
      description: 'Typed in the second tab.',
      schedule: { expression: '0 4 * * *' },
    });
  }

  test('of one person edit the same task: the second save is refused with what has changed, and nothing is lost', async () => {
    const at = on.stage.url + (await addTask('edited-twice'));
    const { context, page } = await on.asAdmin();
    const other = await context.newPage();
    await Promise.all([page.goto(at), other.goto(at)]);
    await meet('edited-twice', page, other);
    await context.close();
  });

  test('of two people do the same; the history of the task has both', async () => {
    const path = await addTask('edited-by-two');
    const { context, page } = await on.asAdmin(path);
    const { context: elsewhere, page: other } = await on.aPage();
    await other.goto(on.stage.url + path);
    await signIn(other, BEN);
    await meet('edited-by-two', page, other);
    const { rows } = await on.stage.db.pool.query<{ who: string }>(
      `SELECT principal_name AS who FROM audit WHERE subject = 'task:edited-by-two' AND NOT refused ORDER BY id`,
    );
    expect(rows.map(({ who }) => who).slice(-2)).toEqual(['ann', 'ben']);
    await Promise.all([context.close(), elsewhere.close()]);
  });

  test('who signs out in one is signed out in the other at once; what was typed there is kept for them', async () => {
    const { context, page } = await on.asAdmin();
    const other = await context.newPage();
    await other.goto(`${on.stage.url}/new-task`);
    await other.getByRole('textbox', { name: 'Name', exact: true }).fill('half-typed');
    // The tab by itself: no event, and no request of its own, tells it.
    await other.route('**/v1/events', (route) => route.abort());
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const dialog = other.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await other.getByRole('main').isVisible()).toBe(false);
    await dialog.getByLabel('Password', { exact: true }).fill(VIEWER.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await other.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('half-typed');
    await context.close();
  });
});
