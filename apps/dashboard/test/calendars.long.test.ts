import { actionOf, processPrincipal } from '@escapement/core';
import { saveCalendar } from '@escapement/operations';
import { listCalendars } from '@escapement/store';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { onStage } from './stage/on-stage.ts';

const BOB = actionOf(processPrincipal('bob'));

describe.skipIf(chromiumPath === undefined)('calendars', () => {
  const on = onStage();
  const { asAdmin, asViewer } = on;

  const definitionOf = async (name: string) => (await listCalendars(on.stage.db, [name]))[0]?.definition;

  const audited = async (calendar: string): Promise<string[]> => {
    const { rows } = await on.stage.db.pool.query<{ told: string }>(
      `SELECT action || ': ' || reason AS told FROM audit WHERE subject = $1 AND NOT refused ORDER BY id`,
      [`calendar:${calendar}`],
    );
    return rows.map(({ told }) => told);
  };

  test('one is made by a form: what is wrong stands at its field, its year is seen before it is saved; then it is deleted', async () => {
    const { context, page, complaints } = await asAdmin();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('link', { name: 'office' }).waitFor();
    await page.getByRole('button', { name: 'New calendar' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('half days');
    await page
      .getByText(/1 to 100 letters, digits/)
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('half-days');
    await page.getByRole('button', { name: 'Sunday' }).click();
    const entry = page.getByRole('group', { name: 'Entry 1' });
    await entry.getByLabel('Reason').fill('Saturdays in summer');
    await entry.getByLabel('From the day').fill('06-01');
    await entry.getByText('from and to belong together').waitFor();
    await entry.getByLabel('To the day').fill('08-31');
    await entry.getByLabel('Hours').fill('12 to 24');
    await entry
      .getByText(/hours such as 22-6/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Create it' }).getAttribute('aria-disabled')).toBe('true');
    await entry.getByLabel('Hours').fill('12-24');
    await page.getByRole('button', { name: '2028' }).click();
    await page.getByText('In 2028 it excludes no whole day, and a part of 13 days.').waitFor();
    // Of a date that does not exist the server tells below.
    await entry.getByLabel('Dates').fill('02-30');
    await page.getByText('calendar half-days cannot have "02-30"').waitFor();
    await entry.getByLabel('Dates').fill('');
    await page.getByText('In 2028 it excludes').waitFor();
    await page.getByText('As a table').click();
    await page.getByRole('row', { name: /Saturday 3 June 12:00 to 24:00 Saturdays in summer/ }).waitFor();
    await page.getByRole('region', { name: 'Create it' }).getByLabel('Reason').fill('to make it');
    await page.getByRole('button', { name: 'Create it' }).click();
    await page.getByRole('heading', { name: 'half-days', exact: true }).waitFor();
    await page
      .getByText('every year from 1 June to 31 August, and on Saturdays at once, from 12:00 to 24:00')
      .waitFor();
    await page.getByText('No task uses it.').waitFor();
    expect(await definitionOf('half-days')).toMatchObject({
      entries: [{ name: 'Saturdays in summer', weekdays: ['SAT'], from: '06-01', to: '08-31', hours: ['12-24'] }],
    });
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('to end it');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Calendars', exact: true }).waitFor();
    await page.getByRole('link', { name: 'half-days' }).waitFor({ state: 'hidden' });
    expect(await audited('half-days')).toEqual(['save: to make it', 'delete: to end it']);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('one that a task uses tells what it takes out of it and cannot be deleted; it is changed as JSON, and what others save is told', async () => {
    const { context, page, complaints } = await asAdmin();
    await page.goto(`${on.stage.url}/calendars/office?year=2027`);
    // 52 Saturdays, 52 Sundays, the 10 working days of the holiday; Christmas is a weekend.
    await page.getByText('In 2027 it excludes 114 whole days, and a part of 2 days.').waitFor();
    const row = page.getByRole('row', { name: /^daily-digest skipped/ });
    await row.getByText('weekend').first().waitFor();
    const remove = page.getByRole('button', { name: 'Delete' });
    await remove.hover();
    await page.getByText('A task uses it: daily-digest. Take it out there first.').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByText('No day of this year is another than before.').waitFor();
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const text = page.getByRole('textbox', { name: 'Definition' });
    await text.fill('{ "timeZone": "Europe/Berlin", "entries": [');
    await page.getByText('This is not JSON of an object.').waitFor();
    await text.fill('{ "timeZone": "Europe/Berlin", "entries": [{ "name": "Tuesdays", "weekdays": ["TUE"] }] }');
    await page.getByText(/Compared with what is saved: 5[23] days more, 1\d\d days fewer/).waitFor();
    await page
      .getByRole('row', { name: /^daily-digest skipped/ })
      .getByText('Tuesdays')
      .first()
      .waitFor();
    const office = await definitionOf('office');
    if (!office) throw new Error('there is no calendar office');
    await saveCalendar(on.stage.db, 'office', { ...office, description: 'of bob' }, BOB);
    await page.getByText('bob has saved version 2 since you began.').waitFor();
    await page.getByLabel('Reason').fill('to change it');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'office', exact: true }).waitFor();
    await page.getByText('on Tuesdays').waitFor();
    expect((await audited('office')).at(-1)).toBe('save: to change it');
    // The task leads back.
    await page.getByRole('link', { name: 'daily-digest' }).click();
    await page.getByRole('link', { name: 'office' }).click();
    await page.getByRole('heading', { name: 'office', exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a viewer sees all of it, and what they may not do', async () => {
    const { context, page } = await asViewer('/calendars/office');
    await page.getByRole('row', { name: /^daily-digest/ }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).hover();
    await page.getByText('You need the right `edit` for all tasks for this.').waitFor();
    await context.close();
  });
});
