import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { actionOf, DAY, MINUTE, SECOND, systemClock } from '@escapement/core';
import { createSignInCode, createUser } from '@escapement/operations';
import { type Database, openDatabase } from '@escapement/store';
import { type Browser, chromium, type Page } from 'playwright-core';
import { makeApiUser, startApi } from './api-process.ts';
import { pause } from './apps.ts';
import { fillLedger } from './fill-ledger.ts';
import { PATIENT } from './fleet.ts';
import { insertTasks, NEVER } from './insert-tasks.ts';
import { keepAlive } from './living-runs.ts';
import { addLongLog, measureLog } from './long-log.ts';
import { YEARLY } from './rounds.ts';
import { startServers } from './servers.ts';
import { openTab, type Tab } from './tab.ts';
import { figure, median } from './table.ts';
import type { Figures } from './targets.ts';

const TASKS = 100_000;
const RUNS = 300_000;
const LOADS = 5;
const ROUNDS = 4;
const TRIES = 3;
/** Of live updates. */
const MINUTES = 3;
const LIVING = { running: 1000, changesPerSecond: 500, tasks: TASKS };
/** For the first load, and a long log. */
const SLOWER = 4;
const SITE = fileURLToPath(new URL('../../apps/dashboard/dist/site', import.meta.url));
const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const BY = actionOf({ kind: 'cli', id: 'bench', name: 'bench', address: null });

/**
 * `dashboard [MINUTES]`: the dashboard in a real Chromium, on 100,000 tasks: script of the first load, and the time until it can be used on a
 * processor four times as slow; interactions on a log of 10 MiB there; then, while 1,000 runs are under way with 500 changes a second, interactions, and how the heap grows over so many minutes.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const minutes = Number(args[0] ?? MINUTES);
  buildSite();
  const servers = await startServers();
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  const browser = await openBrowser();
  try {
    await fill(db);
    await makeApiUser(db);
    const api = await startApi(servers, db);
    try {
      // Browsers keep the cookie for no other plain HTTP.
      const url = api.url.replace('127.0.0.1', 'localhost');
      const link = async () =>
        `${url}/sign-in#code=${await createSignInCode(db, 'ann', { now: systemClock.now(), by: BY })}`;
      const loaded = await measureLoads(browser, url, link);
      const dashboardLog = await measureLongLog(browser, await link(), `${url}/runs/${await addLongLog(db)}`);
      const living = await keepAlive(db, LIVING);
      const tab = await openTab(browser, await link(), 1);
      const dashboardInteraction = await measureInteractions(tab);
      const dashboardHeap = await measureHeap(tab, minutes);
      await tab.close();
      await living.stop();
      return { ...loaded, dashboardLog, dashboardInteraction, dashboardHeap };
    } finally {
      await api.stop();
    }
  } finally {
    await browser.close();
    await db.close();
    await servers.stop();
  }
}

function buildSite(): void {
  const root = fileURLToPath(new URL('../../apps/dashboard', import.meta.url));
  const { status } = spawnSync('npm', ['run', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('the dashboard could not be built');
}

async function openBrowser(): Promise<Browser> {
  const executablePath = [process.env.CHROMIUM ?? '', ...PATHS].find((file) => file !== '' && existsSync(file));
  if (executablePath === undefined) throw new Error('there is no Chromium here: apt-get install chromium');
  // Root, as in a container, has no sandbox.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return await chromium.launch({ executablePath, args: sandbox });
}

async function fill(db: Database): Promise<void> {
  await insertTasks(db, TASKS, (index) => ({ spec: YEARLY, nextRunAt: new Date(NEVER.getTime() + index) }));
  const to = systemClock.now();
  await fillLedger(db, { from: new Date(to.getTime() - 7 * DAY), to, count: RUNS, tasks: TASKS });
  await createUser(db, { name: 'ann', role: 'admin', rights: ['read-payload'], password: 'correct horse battery' }, BY);
  await db.pool.query('VACUUM ANALYZE');
}

/** Each in a profile of its own, so with nothing in its cache. */
async function measureLoads(browser: Browser, url: string, link: () => Promise<string>) {
  const usableMs: number[] = [];
  let scripts: string[] = [];
  for (let load = 0; load < LOADS; load++) {
    const tab = await openTab(browser, await link(), SLOWER);
    await tab.forget();
    const seen = tab.scripts();
    await tab.page.goto(url);
    usableMs.push(await tab.verdictMs());
    await tab.page.getByRole('button', { name: 'Settings and account' }).waitFor();
    scripts = seen();
    await tab.close();
  }
  const bytes = scripts.reduce((sum, name) => sum + sentBytes(name), 0);
  process.stdout.write(
    `first load: ${scripts.length} scripts, ${figure(bytes / 1000, 0)} kB gzipped; to be used after ${usableMs.map((ms) => figure(ms, 0)).join(', ')} ms\n`,
  );
  return { dashboardScript: Math.round(bytes / 1000), dashboardUsable: Math.round(median(usableMs)) / 1000 };
}

/** The smallest ones are sent as they are. */
function sentBytes(name: string): number {
  const zipped = `${SITE}${name}.gz`;
  return readFileSync(existsSync(zipped) ? zipped : SITE + name).length;
}

async function measureLongLog(browser: Browser, link: string, address: string): Promise<number> {
  const tab = await openTab(browser, link, SLOWER);
  const p95 = await measureLog(tab, address);
  await tab.close();
  return p95;
}

/** From page to page by keyboard, and the search over all tasks: from each event until the next frame stands, as the browser measures it. */
async function measureInteractions(tab: Tab): Promise<number> {
  const { page } = tab;
  const heads = { t: 'Tasks', r: 'Runs', e: 'Errors', f: 'Forecast', w: 'Fleet', n: 'Now' };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [key, head] of Object.entries(heads)) {
      await goTo(page, key, head);
      if (key !== 't') continue;
      await page.keyboard.press('/');
      await page.keyboard.type(`bench-${4711 + round}`, { delay: 60 });
      await page
        .getByText(`bench-${4711 + round}`, { exact: true })
        .first()
        .waitFor();
      await page.keyboard.press('Escape');
    }
  }
  const tookMs = (await tab.interactions()).toSorted((one, other) => one - other);
  const p95 = tookMs[Math.floor(0.95 * (tookMs.length - 1))] ?? Number.NaN;
  process.stdout.write(
    `${tookMs.length} interactions: p50 ${median(tookMs)} ms, p95 ${p95} ms, longest ${tookMs.at(-1)} ms\n`,
  );
  return p95;
}

/** Two keys that follow each other too slowly, on a machine at its limit, lead nowhere: they are pressed again. */
async function goTo(page: Page, key: string, head: string): Promise<void> {
  const there = page.getByRole('heading', { name: head, exact: true });
  for (let tries = 0; tries < TRIES; tries++) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    const isThere = await there.waitFor({ timeout: 10 * SECOND }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
  throw new Error(`g ${key} does not lead to ${head}`);
}

/** On the list of runs, which follows what happens. The first half minute does not count. */
async function measureHeap(tab: Tab, minutes: number): Promise<number> {
  await goTo(tab.page, 'r', 'Runs');
  await pause(30 * SECOND);
  const before = await tab.heapBytes();
  await pause(minutes * MINUTE);
  const after = await tab.heapBytes();
  const percent = (100 * (after - before)) / before;
  process.stdout.write(
    `heap after ${minutes} min of ${LIVING.changesPerSecond} changes/s: ${figure(before / 1e6, 1)} to ${figure(after / 1e6, 1)} MB, ${figure(percent, 1)} % more\n`,
  );
  return Math.round(10 * percent) / 10;
}
