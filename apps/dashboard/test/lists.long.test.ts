import { workItems, workLists } from '@escapement/store';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { onStage } from './stage/on-stage.ts';

describe.skipIf(chromiumPath === undefined)('work-lists', () => {
  const on = onStage();

  test('items are found, read page after page, added line by line, and deleted; each act is in the audit', async () => {
    const { context, page, complaints } = await on.asAdmin();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('link', { name: 'orders/to-check' }).click();
    await page.getByText('"A-1099"').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('"A-1119"').waitFor();
    await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'hidden' });
    await page.getByLabel('Part of an item').fill('a-1117');
    await page.waitForURL(/contains=a-1117/);
    await page.getByText('"A-1000"').waitFor({ state: 'hidden' });
    await page.getByText('"A-1117"').waitFor();
    await page.getByLabel('Part of an item').fill('nowhere');
    await page.getByText('No item has that in it.').waitFor();

    await page.getByRole('button', { name: 'Add items' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Items').fill('{"order": "B-1"}\nB-2');
    await dialog.getByLabel('Reason').fill('to check two more');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Line 2 is not JSON.').waitFor();
    await dialog.getByLabel('Items').fill('{"order": "B-1"}\n"B-2"');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByLabel('Part of an item').fill('b-');
    await page.getByText('"B-2"').waitFor();
    const { items } = await workItems(on.stage.db, 'orders/to-check', { limit: 10, after: 119 });
    expect(items.map(({ item }) => item).slice(-2)).toEqual([{ order: 'B-1' }, 'B-2']);

    await page.getByRole('button', { name: 'Delete what waits' }).click();
    await dialog.getByText('122 items that no run has taken are deleted for good. The list ends.').waitFor();
    await dialog.getByLabel('Reason').fill('to begin anew');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There is no such list, or nothing is left of it.').waitFor();
    await page.getByRole('link', { name: 'All lists' }).click();
    await page.getByText('There are no work-lists yet.').waitFor();
    expect(await workLists(on.stage.db)).toEqual([]);

    await page.getByRole('button', { name: 'Add items' }).click();
    await dialog.getByLabel('List').fill('new ones');
    await dialog.getByLabel('Items').fill('1');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog
      .getByText(/1 to 200 letters, digits/)
      .first()
      .waitFor();
    await dialog.getByLabel('List').fill('new-ones');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: 'new-ones', exact: true }).waitFor();
    const { rows } = await on.stage.db.pool.query(
      `SELECT action, subject, reason FROM audit WHERE subject LIKE 'list:%' AND reason IS NOT NULL ORDER BY id`,
    );
    expect(rows).toEqual([
      { action: 'add', subject: 'list:orders/to-check', reason: 'to check two more' },
      { action: 'drop', subject: 'list:orders/to-check', reason: 'to begin anew' },
    ]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a viewer sees how many items there are, and no item', async () => {
    const { context, page } = await on.asViewer('/lists/new-ones');
    await page.getByText('You see how many items there are, and not the items.').waitFor();
    await page.getByRole('button', { name: 'Add items' }).hover();
    await page.getByText('You need the right `write-data` for all tasks for this.').waitFor();
    await context.close();
  });
});
