import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, openBrowser, openPage } from './stage/browser.ts';
import { openStage, type Stage, VIEWER } from './stage/stage.ts';

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  let stage: Stage;
  let browser: Awaited<ReturnType<typeof openBrowser>>;

  beforeAll(async () => {
    stage = await openStage();
    browser = await openBrowser();
  }, 600_000);

  afterAll(async () => {
    await browser?.close();
    await stage?.stop();
  });

  test('somebody signs in, sees what failed, finds why, and signs out; the page keeps to its policy', async () => {
    const { page, complaints } = await openPage(browser, { theme: 'light', width: 1280 });
    await page.goto(`${stage.url}/runs?query=state:failed`);
    // Who is not signed in comes to sign in, and back to where they wanted to go.
    await page.getByLabel('Name').fill(VIEWER.name);
    await page.getByLabel('Password', { exact: true }).fill(VIEWER.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'import-orders' }).first().click();
    await page.getByText('UpstreamError: the shop has answered 503').first().waitFor();
    // A viewer sees what cannot be done, and why.
    await page.getByRole('button', { name: 'Run again' }).hover();
    await page.getByText('You need the right `retry` for this.').waitFor();
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await page.request.get(`${stage.url}/v1/me`)).status()).toBe(401);
    expect(complaints).toEqual([]);
  });
});
