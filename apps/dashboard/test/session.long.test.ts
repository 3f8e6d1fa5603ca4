import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { onStage } from './stage/on-stage.ts';
import { VIEWER } from './stage/stage.ts';

describe.skipIf(chromiumPath === undefined)('a session that ends while its page is open', () => {
  const on = onStage();

  /** As by its age, or a sign-out in another tab. */
  const endSessions = () => on.stage.db.pool.query('DELETE FROM access_session');
  const signInAgain = async (page: Page) => {
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await page.getByRole('main').isVisible()).toBe(false);
    expect(await dialog.getByLabel('Name').inputValue()).toBe('ann');
    await dialog.getByLabel('Password', { exact: true }).fill(VIEWER.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  test('what was typed in a form is there after the sign-in, and is saved then', async () => {
    const { context, page, complaints } = await on.asAdmin('/new-task');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('after-lunch');
    await page.getByRole('textbox', { name: 'Command' }).fill('true');
    await page.getByText('at 02:30 every day').waitFor();
    await endSessions();
    await page.getByRole('textbox', { name: 'Expression' }).fill('0 13 * * *');
    await signInAgain(page);
    expect(await page.getByRole('textbox', { name: 'Expression' }).inputValue()).toBe('0 13 * * *');
    await page.getByText('at 13:00 every day').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Create it' }).click();
    await page.getByRole('heading', { name: 'after-lunch', exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a dialog stays, also at Escape, with its text; nothing of it is in the storage of the browser', async () => {
    const { context, page } = await on.asAdmin(`/tasks/${await on.stage.taskId('tell-operators')}`);
    await page.getByRole('button', { name: 'Run now' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run it now?' });
    await dialog.getByLabel('Payload').fill('{"day": 1}');
    await dialog.getByLabel('Reason').fill('it was long ago');
    await endSessions();
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await page.keyboard.press('Escape');
    await signInAgain(page);
    expect(await dialog.getByLabel('Payload').inputValue()).toBe('{"day": 1}');
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('long ago');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.waitForURL(/\/runs\//);
    await context.close();
  });

  test('who signs in as somebody else finds nothing of it', async () => {
    const { context, page } = await on.asAdmin('/new-task');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('of-ann');
    page.on('dialog', (asked) => void asked.accept());
    await endSessions();
    await page.getByRole('textbox', { name: 'Command' }).fill('true');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Name').fill(VIEWER.name);
    await dialog.getByLabel('Password', { exact: true }).fill(VIEWER.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Give it a name first.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('');
    await context.close();
  });
});
