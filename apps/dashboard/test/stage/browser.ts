import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

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
  /** What there is to know of it when a test has failed: where it is, what it shows, and which requests were refused. */
  story: () => Promise<string>;
}

export interface Look {
  theme: 'light' | 'dark';
  width: number;
}

const HEIGHT = 900;

export async function openPage(browser: Browser, { theme, width }: Look): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
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
  const refused: string[] = [];
  page.on('requestfailed', (request) => refused.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.url()}: ${response.status()}`);
  });
  const story = async () => {
    if (page.isClosed()) return 'the page is closed';
    const shown = await page.locator('body').innerText();
    return [page.url(), ...complaints, ...refused.slice(-20), shown].join('\n');
  };
  return { context, page, complaints, story };
}
