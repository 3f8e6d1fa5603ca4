import { AxeBuilder } from '@axe-core/playwright';
import { actionOf, processPrincipal } from '@escapement/core';
import type { AlertingInput } from '@escapement/core/alerts';
import { alertingInForce, saveAlerting } from '@escapement/operations';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { onStage, signIn } from './stage/on-stage.ts';

describe.skipIf(chromiumPath === undefined)('what an admin sets', () => {
  const on = onStage();
  const { asAdmin, asViewer } = on;

  /** Answers a dialog: gives a reason, and does it. */
  const does = async (page: Page, doIt: string): Promise<void> => {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill(`to ${doIt}`);
    await dialog.getByRole('button', { name: doIt, exact: true }).click();
  };

  const pressesIn = async (row: Locator, name: string, doIt: string): Promise<void> => {
    await row.getByRole('button', { name, exact: true }).click();
    await does(row.page(), doIt);
    await row.page().getByRole('dialog').waitFor({ state: 'hidden' });
  };

  /** Acts on users, tokens and alerts, with the reason that was given. */
  const audited = async (subject: string): Promise<string[]> => {
    const { rows } = await on.stage.db.pool.query<{ told: string }>(
      `SELECT action || ': ' || reason AS told FROM audit WHERE subject LIKE $1 AND reason LIKE 'to %' ORDER BY id`,
      [subject],
    );
    return rows.map(({ told }) => told);
  };

  /** Of the dialog that is open. */
  const violationsOf = async (page: Page): Promise<string[]> => {
    const axe = new AxeBuilder({ page }).include('[role="dialog"]');
    return (await axe.analyze()).violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
    );
  };

  test('a user is made, signs in, gets another password, is kept out, let in again and deleted', async () => {
    const { context, page, complaints } = await asAdmin('/access');
    await page.getByRole('button', { name: 'New user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('bob');
    await dialog.getByRole('button', { name: 'Make one up' }).click();
    const bob = { name: 'bob', password: await dialog.getByLabel(/^Password/).inputValue() };
    await dialog.getByLabel('shell').check();
    await dialog.getByLabel('Only for tasks with the labels').fill('team=');
    expect(await violationsOf(page)).toEqual([]);
    await does(page, 'Make the user');
    // What the server says is wrong stands in the dialog, and nothing that was typed is lost.
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Only for tasks with the labels').fill('team=shop');
    await does(page, 'Make the user');
    const row = page.getByRole('row', { name: /^bob/ });
    await row.getByText('viewer, shell').waitFor();
    await row.getByText('only on team=shop').waitFor();

    await row.getByRole('button', { name: 'Change rights' }).click();
    await dialog.getByLabel('Only for tasks with the labels').fill('team=mail');
    await dialog.getByLabel('shell').uncheck();
    expect(await violationsOf(page)).toEqual([]);
    await does(page, 'Change');
    await row.getByText('only on team=mail').waitFor();
    expect(await row.getByText('viewer, shell').count()).toBe(0);

    const own = await on.aPage();
    await own.page.goto(`${on.stage.url}/fleet`);
    await signIn(own.page, bob);
    await own.page.getByRole('button', { name: 'Settings and account' }).waitFor();

    await row.getByRole('button', { name: 'Set password' }).click();
    await dialog.getByLabel(/^Password/).fill('another horse battery');
    await does(page, 'Set it');
    await dialog.waitFor({ state: 'hidden' });
    expect((await own.page.request.get(`${on.stage.url}/v1/me`)).status()).toBe(401);

    await pressesIn(row, 'Disable', 'Disable');
    await row.getByText('disabled', { exact: true }).waitFor();
    await pressesIn(row, 'Enable', 'Enable');
    await row.getByText('may sign in', { exact: true }).waitFor();
    await pressesIn(row, 'Delete', 'Delete');
    await row.waitFor({ state: 'hidden' });
    expect(await audited('user:%')).toEqual([
      'create: to Make the user',
      'grant: to Change',
      'set password: to Set it',
      'disable: to Disable',
      'enable: to Enable',
      'delete: to Delete',
    ]);
    expect(complaints).toEqual([]);
    await Promise.all([context.close(), own.context.close()]);
  });

  test('who would lock themselves out is told so first', async () => {
    const { context, page } = await asAdmin('/access');
    await page.getByRole('row', { name: /^ann/ }).getByRole('button', { name: 'Disable' }).click();
    await page.getByText('That is you: you are signed out at once.').waitFor();
    await page.getByText(/^Nobody else here may make users\./).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await context.close();
  });

  test('a token is shown once, lets a program in, is kept nowhere, and is revoked', async () => {
    const { context, page } = await asAdmin('/access');
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('shop-ci');
    await does(page, 'Make the token');
    await dialog.getByText('Copy it now.').waitFor();
    const token = (await dialog.locator('code').textContent()) ?? '';
    expect(token).toMatch(/^esc_/);
    expect(await violationsOf(page)).toEqual([]);
    const asked = () => fetch(`${on.stage.url}/v1/tasks`, { headers: { authorization: `Bearer ${token}` } });
    expect((await asked()).status).toBe(200);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await dialog.getByRole('button', { name: 'Copy the token' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
    // Neither a click beside it nor a key closes it.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 400);
    await dialog.getByText(token).waitFor();
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])');
    expect(kept).not.toContain(token.slice(4, 20));
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain(token);
    await page.getByRole('button', { name: 'New token' }).click();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Cancel' }).click();

    const row = page.getByRole('row', { name: /^shop-ci/ });
    await page.reload();
    await row.getByText('in use', { exact: true }).waitFor();
    await pressesIn(row, 'Revoke', 'Revoke');
    await page.getByText('No token is in use.').waitFor();
    await page.getByRole('link', { name: 'all', exact: true }).click();
    await row.getByText('revoked', { exact: true }).waitFor();
    expect((await asked()).status).toBe(401);
    expect(await audited('token:%')).toEqual(['create: to Make the token', 'revoke: to Revoke']);
    await context.close();
  });

  test('who may not make users sees why', async () => {
    const { context, page } = await asViewer('/access');
    await page.getByText('You cannot see users and tokens.').first().waitFor();
    const button = page.getByRole('button', { name: 'New user' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.hover();
    await page.getByRole('tooltip').getByText('You need the right `access` for all tasks for this.').waitFor();
    await context.close();
  });

  test('alert rules are changed as JSON: refused with what is wrong, put over what others saved; what is hidden stays', async () => {
    const secret = 'https://hooks.example/T0/s3cret';
    const rules: AlertingInput['rules'] = [{ name: 'failed', when: { kind: 'failed' }, severity: 'critical' }];
    const receivers: AlertingInput['receivers'] = { ops: { type: 'slack', url: secret }, kept: { type: 'inbox' } };
    const by = actionOf(processPrincipal('bob'));
    await saveAlerting(on.stage.db, { rules, receivers, routes: [{ receivers: ['ops'] }] }, by);
    const { context, page, complaints } = await asAdmin('/alerting');
    await page.getByText('A run failed for good').waitFor();
    await page.getByText('https://hooks.example/***', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit the definition' }).click();
    const field = page.getByRole('textbox', { name: 'Definition' });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const change = async (from: string, to: string) => await field.fill((await field.inputValue()).replace(from, to));
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    await change('"critical"', '"grave"');
    await page.getByLabel('Reason').fill('to save');
    await save.click();
    await page
      .getByRole('alert')
      .getByText(/severity/)
      .first()
      .waitFor();
    await change('"grave"', '"warning"');
    // Somebody saves another rule and another severity meanwhile.
    const held: AlertingInput['rules'][number] = { name: 'held', when: { kind: 'held' } };
    const theirs = [
      { ...rules[0], name: 'failed', when: { kind: 'failed' as const }, severity: 'info' as const },
      held,
    ];
    await saveAlerting(on.stage.db, { rules: theirs, receivers, routes: [{ receivers: ['ops'] }] }, by);
    await save.click();
    await page.getByText('Somebody has saved version 2 since you began').waitFor();
    await page.getByText('You changed the same: rules.failed.').waitFor();
    await page.getByRole('button', { name: 'Put my change over theirs' }).click();
    await page.getByText('Your change stands over theirs now.').waitFor();
    expect(await page.content()).not.toContain('s3cret');
    await save.click();
    await page.getByText('Saved as version 3.').waitFor();
    const { definition } = await alertingInForce(on.stage.db);
    expect(definition.receivers.ops).toEqual({ type: 'slack', url: secret });
    expect(definition.rules).toMatchObject([{ name: 'failed', severity: 'warning' }, { name: 'held' }]);
    expect(await audited('alerting:%')).toEqual(['save: to save']);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a receiver is tested, and the screen says what became of it', async () => {
    const { context, page } = await asAdmin('/alerting');
    const row = page.getByRole('row', { name: /^ops/ });
    await pressesIn(row, 'Test', 'Send it');
    await row.getByText('The test waits to be sent').waitFor();
    // As a scheduler says it: none of a fleet under test sends anything.
    await on.stage.db.pool.query(
      `UPDATE delivery SET state = 'dropped', tries = 1, error = 'the server has answered 404', ended_at = now() WHERE receiver = 'ops'`,
    );
    await row.getByText('The test was given up: the server has answered 404').waitFor();
    await row.getByRole('link', { name: 'its messages' }).click();
    const messages = page.getByRole('table', { name: 'Messages of the last 30 days' });
    await messages.getByText('given up', { exact: true }).waitFor();
    await messages.getByText('the server has answered 404').waitFor();
    expect(page.url()).toContain('receiver=ops');
    await context.close();
  });

  test('who may only look sees the rules, and why nothing can be changed', async () => {
    const { context, page } = await asViewer('/alerting');
    await page.getByText('A run failed for good').waitFor();
    const button = page.getByRole('button', { name: 'Edit the definition' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.hover();
    await page.getByRole('tooltip').getByText('You need the right `edit` for all tasks for this.').waitFor();
    await page.getByText('You cannot see messages.').waitFor();
    await context.close();
  });
});
