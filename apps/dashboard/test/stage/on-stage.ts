import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Look, openBrowser, openPage, type Watched } from './browser.ts';
import { openStage, type Stage, VIEWER } from './stage.ts';

const USUAL: Look = { theme: 'light', width: 1280 };

/** A stage and a browser for the tests of a file, which begin before the first of them and end after the last. */
export function onStage() {
  let stage: Stage | undefined;
  let browser: Awaited<ReturnType<typeof openBrowser>> | undefined;

  beforeAll(async () => {
    stage = await openStage();
    browser = await openBrowser();
  }, 600_000);

  afterAll(async () => {
    await browser?.close();
    await stage?.stop();
  });

  const opened: Watched[] = [];
  reportStories(() => opened.splice(0));

  const open = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('the stage is open in tests alone');
    return part;
  };
  const aPage = async (look = USUAL) => {
    const watched = await openPage(open(browser), look);
    opened.push(watched);
    return watched;
  };

  return {
    get stage() {
      return open(stage);
    },
    /** Nobody is signed in. */
    aPage,
    /** As ann, who is admin. `path`: where she goes. Default: she is where she came in. */
    async asAdmin(path?: string, look?: Look): Promise<Watched> {
      const watched = await aPage(look);
      await watched.page.goto(await open(stage).link());
      await watched.page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
      if (path !== undefined) await watched.page.goto(open(stage).url + path);
      return watched;
    },
    async asViewer(path: string): Promise<Watched> {
      const watched = await aPage();
      await watched.page.goto(open(stage).url + path);
      await signIn(watched.page, VIEWER);
      return watched;
    },
  };
}

/** Of a test that fails, the error has the stories of its pages with it. */
export function reportStories(pages: () => readonly Watched[]): void {
  afterEach(async ({ task }) => {
    const shown = pages();
    if (task.result?.state !== 'fail') return;
    const stories = await Promise.all(shown.map(({ story }) => story()));
    // With the error, so that it is told wherever that is.
    for (const error of task.result.errors ?? []) error.stack = [error.stack, ...stories].join('\n\na page: ');
  });
}

/** Fills in the form that one is asked with. */
export async function signIn(page: Page, { name, password }: { name: string; password: string }): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
