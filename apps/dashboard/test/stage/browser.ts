import { existsSync } from 'node:fs';
import { SECOND, systemClock } from '@escapement/core';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Debian's, or that of CHROMIUM. Undefined: there is none (`apt-get install chromium`). */
export const chromiumPath = [process.env.CHROMIUM ?? '', ...PATHS].find((file) => file !== '' && existsSync(file));

export async function openBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('there is no Chromium here: apt-get install chromium');
  // Root, as in a container, has no sandbox.
  return await chromium.launch({
    executablePath: chromiumPath,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

export interface Watched {
  context: BrowserContext;
  page: Page;
  /** What the browser has complained of: errors of scripts, and what the page's policy has refused. */
  complaints: string[];
  /** What there is to know of it when a test has failed: where it is, what it shows, and what it has asked for last, and what came of it. */
  story: () => Promise<string>;
}

export interface Look {
  theme: 'light' | 'dark';
  width: number;
  /** Of the browser. Default: Europe/Berlin. */
  timeZone?: string;
}

const HEIGHT = 900;
/** In the story of a page: requests and their answers, and letters of what it shows. */
const LAST_ASKED = 25;
const MOST_SHOWN = 600;

export async function openPage(browser: Browser, { theme, width, timeZone = 'Europe/Berlin' }: Look): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: timeZone,
  });
  // A busy machine takes its time.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|Refused to/.test(message.text()))
      complaints.push(message.text());
  });
  const asked: string[] = [];
  const openedMs = systemClock.monotonicMs();
  const note = (request: Request, what: string) => {
    const { pathname, search } = new URL(request.url());
    asked.push(`${((systemClock.monotonicMs() - openedMs) / SECOND).toFixed(1)} s ${what} ${pathname}${search}`);
  };
  page.on('request', (request) => note(request, 'asks'));
  page.on('requestfailed', (request) => note(request, request.failure()?.errorText ?? 'failed'));
  page.on('response', (response) => note(response.request(), String(response.status())));
  const story = async () => {
    if (page.isClosed()) return 'the page is closed';
    const shown = await page.locator('body').innerText();
    return [page.url(), ...complaints, ...asked.slice(-LAST_ASKED), shown.slice(0, MOST_SHOWN)].join('\n');
  };
  return { context, page, complaints, story };
}
