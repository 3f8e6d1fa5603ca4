import type { Page } from 'playwright-core';
import { type Stage, VIEWER } from './stage.ts';

export interface Screen {
  name: string;
  path: (stage: Stage) => string | Promise<string>;
  /** Resolves once the screen shows what it is for. */
  isThere: (page: Page) => Promise<unknown>;
  /** Nobody is signed in there. Default false. */
  isForStrangers?: boolean;
  /** It has neither top nor side bar. Default false. */
  isBare?: boolean;
}

const sees = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();

/** Every screen of the dashboard: a new one is added here, and so is looked at in both themes and widths, and by axe. */
export const SCREENS: readonly Screen[] = [
  { name: 'sign-in', path: () => '/sign-in', isThere: sees('Password'), isForStrangers: true },
  {
    name: 'now',
    path: () => '/',
    isThere: async (page) => {
      await sees(/need you|Nothing needs you/)(page);
      await sees('reindex-search')(page);
      await sees('in that hour a week ago')(page);
      await sees('reindex-search runs for far longer than usual')(page);
      await sees('more than twice as long as usual')(page);
    },
  },
  {
    name: 'tasks',
    path: () => '/tasks',
    isThere: async (page) => {
      await sees('legacy-feed')(page);
      await sees(/Its latest \d+ runs: /)(page);
    },
  },
  { name: 'tasks-empty', path: () => '/tasks?name=nothing-like-it', isThere: sees('No task matches.') },
  {
    name: 'task',
    path: async (stage) => `/tasks/${await stage.taskId('import-orders')}`,
    isThere: async (page) => {
      await sees('the shop has answered 503')(page);
      await sees('Version 1')(page);
      await sees('every 20 minutes')(page);
    },
  },
  {
    name: 'task-history',
    path: async (stage) => `/tasks/${await stage.taskId('backup-shop')}`,
    isThere: async (page) => {
      await page.locator('[title$=", 1 failed"]').first().waitFor();
      await sees('Its runs start these')(page);
      await sees('up to')(page);
    },
  },
  {
    name: 'task-hours',
    path: async (stage) => `/tasks/${await stage.taskId('backup-shop')}?history=hour`,
    isThere: (page) => page.locator('[title$=":00: 1 failed"]').first().waitFor(),
  },
  {
    name: 'task-paused',
    path: async (stage) => `/tasks/${await stage.taskId('legacy-feed')}`,
    isThere: async (page) => {
      await sees('Paused by ann')(page);
      await sees('paused: it is skipped')(page);
    },
  },
  { name: 'import', path: () => '/import', isThere: sees('What becomes of each line is shown here.') },
  { name: 'runs', path: () => '/runs', isThere: sees('hourly-report') },
  {
    name: 'runs-query',
    path: () => '/runs?query=state:fuiled+since:-1h',
    isThere: (page) => page.locator('mark').waitFor(),
  },
  { name: 'runs-empty', path: () => '/runs?query=task:nothing-like-it-*', isThere: sees('No run matches.') },
  {
    name: 'run-failed',
    path: async (stage) => `/runs/${await stage.latestRun('import-orders', 'failed')}`,
    isThere: sees('the shop has refused'),
  },
  {
    name: 'run-succeeded',
    path: async (stage) => `/runs/${await stage.latestRun('hourly-report', 'succeeded')}`,
    isThere: sees('two rows have no price'),
  },
  {
    name: 'run-running',
    path: async (stage) => `/runs/${await stage.latestRun('reindex-search', 'running')}`,
    isThere: sees('400 lines'),
  },
  {
    name: 'errors',
    path: () => '/errors',
    isThere: async (page) => {
      await sees('UpstreamError')(page);
      await sees('the shop has answered #')(page);
      await sees('in release 1.4.2, after 1.4.1')(page);
    },
  },
  { name: 'errors-none', path: () => '/errors?shown=muted', isThere: sees('No error of that time is so.') },
  {
    name: 'fleet',
    path: () => '/fleet',
    isThere: async (page) => {
      await sees('takes runs')(page);
      await sees('reindex-search')(page);
    },
  },
  {
    name: 'key',
    path: () => '/key?key=reindex-search',
    isThere: async (page) => {
      await sees('1 of 1')(page);
      await sees('Who waits, the next first')(page);
    },
  },
  {
    name: 'recovery',
    path: () => '/recovery?task=send-invoices',
    isThere: async (page) => {
      await sees('Customers see them.')(page);
      await sees('Choose all')(page);
    },
  },
  { name: 'backfills', path: () => '/backfills', isThere: sees('sync-customers') },
  {
    name: 'backfill-start',
    path: () => '/backfills?start=hourly-report',
    isThere: sees('Name a task and a beginning'),
  },
  {
    name: 'forecast',
    path: () => '/forecast?span=7d',
    isThere: async (page) => {
      await sees('At work at once')(page);
      await sees('Quietest times of day')(page);
      await page.locator('[title*=" failed"]').first().waitFor();
      await page.locator('code').first().waitFor();
    },
  },
  {
    name: 'alerts',
    path: () => '/alerts?all=true',
    isThere: async (page) => {
      await sees(/rule /)(page);
      await sees('Nothing is silenced.')(page);
    },
  },
  {
    name: 'audit',
    path: () => '/audit',
    isThere: sees('the feed moves to the new shop'),
  },
  {
    name: 'alerting',
    path: () => '/alerting',
    isThere: async (page) => {
      await sees('A run failed for good')(page);
      await sees('No message was sent.')(page);
    },
  },
  {
    name: 'access',
    path: () => '/access?all=true',
    isThere: async (page) => {
      await page.getByRole('rowheader', { name: VIEWER.name }).waitFor();
      await sees('There is no token.')(page);
    },
  },
  {
    name: 'about',
    path: () => '/about',
    isThere: async (page) => {
      await page.getByRole('rowheader', { name: 'API, as it answers here' }).waitFor();
      await sees('None was asked for in the last day.')(page);
      await sees(/clock|Postgres/)(page);
    },
  },
  {
    name: 'edit',
    path: async (stage) => `/tasks/${await stage.taskId('hourly-report')}/edit`,
    isThere: async (page) => {
      await sees('Nothing has changed yet.')(page);
      await sees('Clocks change')(page);
    },
  },
  { name: 'new-task', path: () => '/new-task', isThere: sees('Give it a name first.') },
  { name: 'calendars', path: () => '/calendars', isThere: sees('When the office is closed') },
  {
    name: 'calendar',
    path: () => '/calendars/office?year=2027',
    isThere: async (page) => {
      await sees('In 2027 it excludes')(page);
      await sees('daily-digest')(page);
    },
  },
  {
    name: 'edit-calendar',
    path: () => '/calendars/office/edit',
    isThere: sees('No day of this year is another than before.'),
  },
  { name: 'new-calendar', path: () => '/new-calendar', isThere: sees('Give it a name first.') },
  {
    name: 'crontabs',
    path: () => '/crontabs',
    isThere: async (page) => {
      await sees('web1: /etc/cron.d/shop')(page);
      await sees('not explained')(page);
    },
  },
  { name: 'lists', path: () => '/lists', isThere: sees('orders/to-check') },
  { name: 'list', path: () => '/lists/orders%2Fto-check', isThere: sees('"A-1000"') },
  { name: 'no-page', path: () => '/no/such/page', isThere: sees('There is no such page.'), isBare: true },
];
