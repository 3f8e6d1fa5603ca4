// `npm run docs:screenshots [-- --documents] [--only NAME]`: pictures of each screen, in both themes and on a telephone, of a fleet with a history; and those that
// the documents show. `--documents`: these alone. `--only`: of one screen.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { type Look, openBrowser, openPage } from '../../apps/dashboard/test/stage/browser.ts';
import { SCREENS } from '../../apps/dashboard/test/stage/screens.ts';
import { openStage } from '../../apps/dashboard/test/stage/stage.ts';

const { values } = parseArgs({ options: { documents: { type: 'boolean', default: false }, only: { type: 'string' } } });
const folder = fileURLToPath(new URL('../../docs/images/dashboard', import.meta.url));
const documents = fileURLToPath(new URL('../../docs/pictures/dashboard', import.meta.url));
const LOOKS: readonly (Look & { name: string })[] = [
  { name: 'light', theme: 'light', width: 1280 },
  { name: 'dark', theme: 'dark', width: 1280 },
  { name: 'narrow', theme: 'light', width: 360 },
];
/** Shown in the documents, in the light theme. */
const SHOWN: readonly string[] = [
  ...['now', 'tasks', 'task-history', 'errors', 'forecast', 'edit'],
  ...['fleet', 'recovery', 'crontabs', 'calendar'],
];
const QUALITY = 72;

for (const place of [folder, documents]) mkdirSync(place, { recursive: true });
const stage = await openStage();
const browser = await openBrowser();
let taken = 0;
try {
  for (const look of values.documents ? LOOKS.slice(0, 1) : LOOKS) await takeAll(look);
  console.log(`${taken} pictures are taken, in docs/images/dashboard and docs/pictures/dashboard`);
} finally {
  await browser.close();
  await stage.stop();
}

async function takeAll(look: Look & { name: string }): Promise<void> {
  const { context, page } = await openPage(browser, look);
  const stranger = await openPage(browser, look);
  await page.goto(await stage.link());
  await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
  for (const { name, path: pathOf, isThere, isForStrangers = false, isBare = false } of SCREENS) {
    const isShown = look.name === 'light' && SHOWN.includes(name);
    if ((values.documents && !isShown) || (values.only !== undefined && values.only !== name)) continue;
    const on = isForStrangers ? stranger.page : page;
    await on.goto(stage.url + (await pathOf(stage)));
    await isThere(on);
    if (!isForStrangers && !isBare) await on.getByRole('button', { name: 'Settings and account' }).waitFor();
    await on.evaluate('document.fonts.ready');
    if (isShown) await writeSmall(on, path.join(documents, `${name}.webp`));
    if (!values.documents) await on.screenshot({ path: path.join(folder, `${name}-${look.name}.png`) });
    taken += 1;
  }
  await Promise.all([context.close(), stranger.context.close()]);
}

/** They are in Git: a tenth of a PNG. */
async function writeSmall(page: Page, file: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(file, Buffer.from(data, 'base64'));
  await devtools.detach();
}
