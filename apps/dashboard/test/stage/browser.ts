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
  return { context, page, complaints };
}
