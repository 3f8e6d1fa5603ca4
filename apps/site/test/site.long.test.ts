import { readdirSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, type Look, openBrowser, openPage } from '../../dashboard/test/stage/browser.ts';
import { buildSite, serve } from './built-site.ts';
import { lostLinks, type Seen, visit, watch } from './visit.ts';

/** One page of each kind: the start, a list, code, pictures and tables, a decision. */
const KINDS = [
  'index.html',
  'documents.html',
  'tutorial.html',
  'explanation/architecture.html',
  'decisions/0088-one-version-and-one-changelog.html',
];

const PHONE: Look = { theme: 'light', width: 360 };
const DESKS: readonly Look[] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
];
/** Pages that are opened at the same time. */
const TABS = 4;

describe.skipIf(chromiumPath === undefined)('the site', () => {
  let browser: Browser;
  let folder: string;
  let site: string;
  let pages: string[];

  beforeAll(async () => {
    [browser, folder] = await Promise.all([openBrowser(), buildSite()]);
    site = await serve(folder);
    pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.html') && file !== '404.html',
    );
  });
  afterAll(() => browser?.close());

  /** Visits pages with a tab of its own. Returns what was there, and what was wrong. */
  async function visitAll(files: readonly string[]): Promise<{ seen: Seen[]; complaints: string[] }> {
    const { context, page } = await openPage(browser, PHONE);
    const complaints = watch(page, site);
    const seen: Seen[] = [];
    for (const file of files) seen.push(await visit(page, site + file));
    await context.close();
    return { seen, complaints };
  }

  test('every page comes without an error and without another host, fits a telephone, and links to what is there', async () => {
    const tabs = Array.from({ length: TABS }, (_, tab) => pages.filter((_, index) => index % TABS === tab));
    const visited = await Promise.all(tabs.map(visitAll));
    const seen = visited.flatMap((tab) => tab.seen);
    expect(visited.flatMap(({ complaints }) => complaints)).toEqual([]);
    expect(seen.filter(({ overflow }) => overflow > 0).map(({ url, overflow }) => [url, overflow])).toEqual([]);
    expect(lostLinks(folder, site, seen)).toEqual([]);
    expect(seen.filter(({ diagrams: { asked, drawn } }) => asked !== drawn).map(({ url }) => url)).toEqual([]);
    // That the above has looked at something.
    expect(seen.length).toBeGreaterThan(100);
    expect(seen.flatMap(({ links }) => links.filter((link) => link.includes('#'))).length).toBeGreaterThan(200);
    expect(seen.reduce((sum, { diagrams }) => sum + diagrams.drawn, 0)).toBeGreaterThan(5);
  });

  /** What hinders somebody from using pages of each kind. */
  async function hindrances(look: Look): Promise<unknown[]> {
    const { context, page } = await openPage(browser, look);
    const found: unknown[] = [];
    for (const file of KINDS) {
      await visit(page, site + file);
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      found.push(...serious.map(({ id, nodes }) => [file, id, nodes.map(({ html }) => html.slice(0, 200))]));
    }
    await context.close();
    return found;
  }

  test('pages of each kind can be used by everybody, in the light and in the dark', async () => {
    expect(await Promise.all(DESKS.map(hindrances))).toEqual(DESKS.map(() => []));
  });

  test('a word is searched for, and its page found, without another host', async () => {
    const { context, page } = await openPage(browser, { theme: 'light', width: 1280 });
    const complaints = watch(page, site);
    await visit(page, `${site}how-to/release.html`);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('quarantined');
    const first = page.getByRole('option').first();
    await first.waitFor();
    await first.click();
    await page.waitForURL((url) => !url.pathname.endsWith('/release.html'));
    await page.getByRole('main').getByText('quarantined').first().waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('pictures are drawn anew in the colours of the other theme', async () => {
    const { context, page } = await openPage(browser, { theme: 'light', width: 1280 });
    await visit(page, `${site}explanation/architecture.html`);
    const picture = page.locator('.diagram .picture').first();
    const before = await picture.innerHTML();
    await page.getByRole('switch').first().click();
    await expect.poll(() => picture.innerHTML()).not.toBe(before);
    await context.close();
  });
});
