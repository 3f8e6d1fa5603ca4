// `npm run docs:screenshots`: pictures of each screen, in both themes and on a telephone, of a fleet with a history.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Look, openBrowser, openPage } from '../apps/dashboard/test/stage/browser.ts';
import { SCREENS } from '../apps/dashboard/test/stage/screens.ts';
import { openStage } from '../apps/dashboard/test/stage/stage.ts';

const folder = fileURLToPath(new URL('../docs/images/dashboard', import.meta.url));
const LOOKS: readonly (Look & { name: string })[] = [
  { name: 'light', theme: 'light', width: 1280 },
  { name: 'dark', theme: 'dark', width: 1280 },
  { name: 'narrow', theme: 'light', width: 360 },
];

mkdirSync(folder, { recursive: true });
const stage = await openStage();
const browser = await openBrowser();
try {
  for (const look of LOOKS) {
    const { context, page } = await openPage(browser, look);
    const stranger = await openPage(browser, look);
    await page.goto(await stage.link());
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    for (const { name, path: pathOf, isThere, isForStrangers = false } of SCREENS) {
      const on = isForStrangers ? stranger.page : page;
      await on.goto(stage.url + (await pathOf(stage)));
      await isThere(on);
      await on.evaluate('document.fonts.ready');
      await on.screenshot({ path: path.join(folder, `${name}-${look.name}.png`) });
    }
    await Promise.all([context.close(), stranger.context.close()]);
  }
  console.log(`docs/images/dashboard has ${LOOKS.length * SCREENS.length} pictures`);
} finally {
  await browser.close();
  await stage.stop();
}
