import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { addLongLog, BROKEN, LINES } from './stage/long-log.ts';
import { onStage } from './stage/on-stage.ts';

/** However many lines there are: those in sight, and the page around them. */
const FEW_NODES = 1500;

describe.skipIf(chromiumPath === undefined)('a log of 10 MiB on the page of its run', () => {
  const on = onStage();
  let page: Page;

  beforeAll(async () => {
    const id = await addLongLog(on.stage.db);
    ({ page } = await on.asAdmin(`/runs/${id}`));
    await page.getByText(counted(LINES)).waitFor();
  }, 600_000);

  const counted = (lines: number) => `${lines.toLocaleString('en')} lines`;
  const log = () => page.getByRole('log');
  const line = (number: number) => log().getByText(`line ${String(number).padStart(6, '0')}:`);
  /** Scrolled to, as by its bar; whether the line there is in the page. */
  const toTheMiddle = async () => {
    await page.evaluate(
      `((at) => { at.scrollTop = (at.scrollHeight - at.clientHeight) / 2; })(document.querySelector('[role=log]'))`,
    );
    return await line(LINES / 2).count();
  };
  const filter = () => page.getByRole('textbox', { name: 'Show lines with' });

  test('its first line, its last, and those between are reached, and few of them are in the page', async () => {
    await line(1).waitFor();
    await log().focus();
    await page.keyboard.press('End');
    await line(LINES).waitFor();
    expect(await line(1).count()).toBe(0);
    await expect.poll(toTheMiddle).toBe(1);
    expect(await page.evaluate<number>(`document.querySelectorAll('*').length`)).toBeLessThan(FEW_NODES);
    await page.keyboard.press('Home');
    await line(1).waitFor();
  });

  test('letters find a line, in capitals as in small ones; without them all are back', async () => {
    await filter().pressSequentially(`CUSTOMER ${String(7 * 98_765).padStart(6, '0')}`);
    await page.getByText(`1 of ${counted(LINES)}`).waitFor();
    await line(98_765).waitFor();
    await filter().fill('');
    await page.getByText(counted(LINES), { exact: true }).waitFor();
  });

  test('a level leaves what is of it or above; with letters, what is both', async () => {
    await page.getByLabel('Level').first().click();
    await page.getByRole('option', { name: 'warn and above' }).click();
    await page.getByText(`${(LINES / 10 + 1).toLocaleString('en')} of ${counted(LINES)}`).waitFor();
    await filter().fill('archive');
    await line(10).waitFor();
    await filter().fill(`line 0${BROKEN}`);
    await page.getByText(`1 of ${counted(LINES)}`).waitFor();
    await filter().fill('');
  });

  test('one goes to the error, which is in the middle of all that', async () => {
    await page.reload();
    await page.getByText(counted(LINES)).waitFor();
    await page.getByRole('button', { name: 'Go to the next error' }).click();
    await line(BROKEN).waitFor();
    await log()
      .getByText(BROKEN.toLocaleString('en', { useGrouping: false }), { exact: true })
      .waitFor();
  });
});
