import { describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { onStage } from './stage/on-stage.ts';

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  const on = onStage();

  test('somebody signs in, sees what failed, finds why, and signs out; the page keeps to its policy', async () => {
    const { page, complaints } = await on.asViewer('/runs?query=state:failed');
    // Who is not signed in comes to sign in, and back to where they wanted to go.
    await page.getByRole('link', { name: 'import-orders' }).first().click();
    await page.getByText('UpstreamError: the shop has answered 503').first().waitFor();
    // A viewer sees what cannot be done, and why.
    await page.getByRole('button', { name: 'Run again' }).hover();
    await page.getByText('You need the right `rerun` for this.').waitFor();
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await page.request.get(`${on.stage.url}/v1/me`)).status()).toBe(401);
    expect(complaints).toEqual([]);
  });

  test('on a wall there is the screen alone, in larger letters, as wide as the wall', async () => {
    const { page } = await on.asAdmin('/?wall', { theme: 'dark', width: 1920 });
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    await page.getByText('Next 60 minutes').waitFor();
    for (const around of ['banner', 'navigation'] as const) expect(await page.getByRole(around).count()).toBe(0);
    const letters = await page.evaluate<number>('parseFloat(getComputedStyle(document.documentElement).fontSize)');
    const { width = 0 } = (await page.locator('main > *').first().boundingBox()) ?? {};
    expect(letters).toBeGreaterThan(20);
    expect(width).toBeGreaterThan(1800);
  });
});
