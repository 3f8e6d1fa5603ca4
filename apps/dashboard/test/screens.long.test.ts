import { AxeBuilder } from '@axe-core/playwright';
import { actionOf, HOUR, processPrincipal } from '@escapement/core';
import { requireTask, saveTask, triggerTask } from '@escapement/operations';
import { listTasks } from '@escapement/store';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath, type Look } from './stage/browser.ts';
import { onStage } from './stage/on-stage.ts';
import { SCREENS } from './stage/screens.ts';

/**
 * Themes differ in their colours alone, and widths in what stands where: each of both is looked at, and not each with each. Where the
 * browser is far from the schedules, times are longest.
 */
const LOOKS: readonly Look[] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 360, timeZone: 'America/New_York' },
];
/** The rule of axe that is about colours. */
const OF_COLOURS = 'color-contrast';

describe.skipIf(chromiumPath === undefined)('the screens', () => {
  const on = onStage();

  /** Presses a button, gives a reason, and does it. */
  const presses =
    (page: Page) =>
    async (name: string, doIt = name, within: Page | Locator = page): Promise<void> => {
      await within.getByRole('button', { name, exact: true }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason').fill(`to ${name}`);
      await dialog.getByRole('button', { name: doIt, exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
    };

  /** Acts that were done with such a reason, and the reason. */
  const audited = async (actions: readonly string[]): Promise<string[]> => {
    const { rows } = await on.stage.db.pool.query<{ told: string }>(
      `SELECT action || ': ' || reason AS told FROM audit WHERE reason LIKE 'to %' AND action = ANY ($1) ORDER BY id`,
      [actions],
    );
    // An act on a key that a run holds is in the audit of both.
    return [...new Set(rows.map(({ told }) => told))];
  };

  const offences = async (page: Page, rules?: string[]) => {
    // A fifth of its time went into names for elements that are no violation.
    const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
    const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
    return violations.map(({ id, nodes }) => [page.url(), id, nodes.map(({ html }) => html.slice(0, 200))]);
  };

  /** The page as it stands, in other colours. */
  const show = async (page: Page, theme: Look['theme']) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor();
  };

  test.each(LOOKS)(
    'are usable by everybody, stay in the screen, and keep to the policy: $theme, $width px',
    async (look) => {
      const { context, page, complaints } = await on.asAdmin(undefined, look);
      const stranger = await on.aPage(look);
      for (const { name, path, isThere, isForStrangers = false } of SCREENS) {
        const shown = isForStrangers ? stranger.page : page;
        await shown.goto(on.stage.url + (await path(on.stage)));
        await isThere(shown);
        expect(await offences(shown)).toEqual([]);
        if (look.theme === 'light') {
          await show(shown, 'dark');
          expect(['dark', await offences(shown, [OF_COLOURS])]).toEqual(['dark', []]);
          await show(shown, 'light');
        }
        const overflow = await shown.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([name, overflow]).toEqual([name, 0]);
        // These browsers ask for less motion. Of a transition, however short, a text has the colour of before for some frames more than its ground.
        const moving = await shown.evaluate(
          `[...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s').length`,
        );
        expect([name, moving]).toEqual([name, 0]);
      }
      expect([...complaints, ...stranger.complaints]).toEqual([]);
      await Promise.all([context.close(), stranger.context.close()]);
    },
    1_800_000,
  );

  test('a time by the clock of a schedule names its zone, where the browser has another', async () => {
    const { context, page } = await on.asAdmin('/tasks', { theme: 'light', width: 360, timeZone: 'America/New_York' });
    const next = page.getByRole('row', { name: /hourly-report/ }).locator('time');
    await next.getByText(/:05:00 CES?T$/).waitFor();
    const cells = page.getByRole('row').locator('time').locator('..');
    const cutBy = () =>
      cells.evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
    expect(new Set(await cutBy())).toEqual(new Set([0]));
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(new Set(await cutBy())).toEqual(new Set([0]));
    await page.evaluate(`localStorage.setItem('escapement-settings', '{"zone":"mine"}')`);
    await page.reload();
    await next.getByText(/:05:00$/).waitFor();
    await context.close();
  });

  test('by keyboard alone: to the runs, to the filter, to a run that failed, and it is run again', async () => {
    const { context, page } = await on.asAdmin();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('state:failed task:import-orders');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.waitForURL(/query=state/);
    await page.getByRole('cell', { name: 'failed' }).first().waitFor();
    // What was there before the query has gone.
    await page.getByRole('cell', { name: 'skipped' }).first().waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'import-orders' }).waitFor();
    const again = page.getByRole('button', { name: 'Run again' });
    await again.focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Reason').fill('the shop is back');
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('It repeats run').waitFor();
    const { rows } = await on.stage.db.pool.query(
      `SELECT reason FROM audit WHERE action = 'rerun' ORDER BY id DESC LIMIT 1`,
    );
    expect(rows).toEqual([{ reason: 'the shop is back' }]);
    await context.close();
  });

  test('an error is muted, opened again, and its runs are run again; each act is in the audit with its reason', async () => {
    const { context, page } = await on.asAdmin();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    const press = presses(page);
    await press('Mute');
    await page.getByText('No error of that time is so.').waitFor();
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByText('Muted by').waitFor();
    await press('Open again');
    await press('Run again');
    await page.getByText(/They were run again: \d+ of \d+ runs/).waitFor();
    expect(await audited(['mute', 'reopen', 'ask'])).toEqual([
      'mute: to Mute',
      'reopen: to Open again',
      'ask: to Run again',
    ]);
    await context.close();
  });

  test('a pool is paused, a worker drained, all tasks are paused; each is taken back; a key is released', async () => {
    const { context, page } = await on.asAdmin('/fleet');
    await page.getByText('takes runs').waitFor();
    const press = presses(page);
    await press('Pause');
    await page.getByText('paused by ann: to Pause').waitFor();
    await press('Resume');
    await press('Drain');
    await page.getByText(/takes nothing new|empty: ann/).waitFor();
    await press('Let it go on');
    await press('Pause all tasks');
    await page.getByText('All tasks are paused by ann').waitFor();
    await press('End it', 'Let them go on');
    const held = page.getByRole('row', { name: /^reindex-search/ });
    await held.getByRole('link', { name: 'reindex-search' }).first().click();
    await page.getByRole('heading', { name: 'reindex-search', exact: true }).waitFor();
    const slot = page.getByRole('table', { name: 'Slots' }).getByRole('row', { name: /^1 of 1 running/ });
    await slot.getByRole('link', { name: 'reindex-search' }).waitFor();
    await page.getByText('No run waits for it.').waitFor();
    const by = actionOf(processPrincipal('bob'));
    const handler = { type: 'shell', command: 'true' } as const;
    await saveTask(
      on.stage.db,
      {
        name: 'after-index',
        handler,
        schedule: { kind: 'manual' },
        key: 'reindex-search',
        overlap: { policy: 'wait-all' },
      },
      { source: 'api', by },
    );
    await triggerTask(on.stage.db, 'after-index', { by });
    const next = await triggerTask(on.stage.db, 'after-index', { by });
    const line = page.getByRole('table', { name: 'Who waits, the next first' });
    await line.getByRole('row', { name: /^2 after-index/ }).waitFor();
    expect(await line.getByRole('link', { name: 'after-index' }).last().getAttribute('href')).toBe(`/runs/${next}`);
    await slot.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('dialog').getByText('The run that has it is not stopped').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await press('Release', 'Release', slot);
    await page.getByRole('row', { name: /^1 of 1 free/ }).waitFor();
    await page.getByRole('table', { name: 'What people did to it' }).getByText('to Release').waitFor();
    expect(await audited(['pause', 'drain', 'resume', 'freeze', 'unfreeze', 'release'])).toEqual([
      'pause: to Pause',
      'resume: to Resume',
      'drain: to Drain',
      'resume: to Let it go on',
      'freeze: to Pause all tasks',
      'unfreeze: to End it',
      'release: to Release',
    ]);
    await context.close();
  });

  test('an alert is acknowledged, alerts are silenced, and told again; the audit log finds each act', async () => {
    const { context, page } = await on.asAdmin('/alerts');
    await page.getByText('import-orders has failed').waitFor();
    const press = presses(page);
    await press('Acknowledge');
    await page.getByText('ann looks after it: to Acknowledge').waitFor();
    // As it is narrowest, and with a label that no alert can have.
    const silence = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Silence', exact: true }).first().click();
    await silence.getByLabel('Which alerts').fill('team=shpo');
    await silence.getByLabel('Reason').fill('a slip');
    await silence.getByRole('button', { name: 'Silence', exact: true }).click();
    await silence.getByText('As things are, it keeps no alert quiet:').waitFor();
    await silence.getByText('no alert has team=shpo').waitFor();
    await silence.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('rowheader', { name: 'team=shpo' }).waitFor();
    await press('End it');
    await page.getByText('Nothing is silenced.').waitFor();
    await press('Silence');
    await page.getByRole('rowheader', { name: 'task=import-orders,rule=failed' }).waitFor();
    await press('End it');
    await page.getByText('Nothing is silenced.').waitFor();
    await page.goto(`${on.stage.url}/audit`);
    for (const reason of ['to Acknowledge', 'to Silence', 'to End it']) await page.getByText(reason).first().waitFor();
    await page.getByRole('searchbox', { name: 'Who' }).fill('nobody-like-it');
    await page.getByText('No entry matches.').waitFor();
    await context.close();
  });

  test('a task is made, and changed while somebody else saves it: nothing of either is lost', async () => {
    const { context, page } = await on.asAdmin('/tasks');
    await page.getByRole('button', { name: 'New task' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('warm-cache');
    await page.getByRole('textbox', { name: 'Command' }).fill('true');
    await page.getByText('at 02:30 every day').waitFor();
    await page.getByRole('button', { name: 'Create it' }).click();
    await page.getByRole('heading', { name: 'warm-cache', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Expression' }).fill('30 25 * * *');
    await page.getByRole('alert').getByText(/25/).first().waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('textbox', { name: 'Expression' }).fill('0 4 * * *');
    await page.getByText('at 04:00 every day').waitFor();
    // Somebody saves it between the last look and the save.
    await page.route('**/v1/tasks/*/preview**', (route) => route.abort());
    const { definition } = await requireTask(on.stage.db, 'warm-cache');
    const by = actionOf(processPrincipal('bob'));
    await saveTask(on.stage.db, { ...definition, description: 'of bob' }, { source: 'api', by, edited: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody has saved the task since you looked at it: description.').waitFor();
    await page.unroute('**/v1/tasks/*/preview**');
    const previewed = page.waitForResponse('**/v1/tasks/*/preview**');
    await page.getByRole('button', { name: 'Put my change over theirs' }).click();
    await previewed;
    await page.getByText('Changes: schedule').waitFor();
    // What it will do over theirs is looked at first, and it cannot be saved meanwhile.
    await page.getByRole('button', { name: 'Save', disabled: false }).click();
    await page.getByRole('heading', { name: 'warm-cache', exact: true }).waitFor();
    const saved = await requireTask(on.stage.db, 'warm-cache');
    expect(saved.definition).toMatchObject({ description: 'of bob', schedule: { expression: '0 4 * * *' } });
    await context.close();
  });

  test('a span keeps its unit while one types; a draft is not left without a question; a task after its own end is made', async () => {
    const { context, page } = await on.asAdmin('/new-task');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('sweep');
    await page.getByRole('textbox', { name: 'Command' }).fill('true');
    await page
      .getByRole('combobox', { name: 'Schedule' })
      .or(page.getByRole('textbox', { name: 'Schedule' }))
      .first()
      .click();
    await page.getByRole('option', { name: 'so long after each end' }).click();
    const amount = page.getByRole('textbox', { name: 'So many' });
    await amount.fill('');
    await amount.pressSequentially('245');
    await page
      .getByText(/245 hours|10 days/)
      .first()
      .waitFor();
    expect(await amount.inputValue()).toBe('245');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('link', { name: 'Runs' }).first().click();
    await expect.poll(() => asked).toEqual(['What you have changed is not saved. Leave it?']);
    expect(await amount.inputValue()).toBe('245');
    await page.getByRole('button', { name: 'Create it' }).click();
    await page.getByRole('heading', { name: 'sweep', exact: true }).waitFor();
    expect((await requireTask(on.stage.db, 'sweep')).definition.schedule).toEqual({
      kind: 'fixed-delay',
      delayMs: 245 * HOUR,
    });
    await context.close();
  });

  test('a crontab is pasted, lines are chosen, and only these become tasks', async () => {
    const { context, page } = await on.asAdmin('/tasks');
    await page.getByRole('button', { name: 'Import a crontab' }).click();
    const lines = [
      '0 3 * * * /opt/rotate',
      '99 * * * * /opt/never',
      '*/10 * * * * /opt/poll',
      '5 4 * * sun /opt/weekly',
    ];
    await page.getByRole('textbox', { name: 'Lines' }).fill(`${lines.join('\n')}\n`);
    await page.getByRole('textbox', { name: 'Name' }).fill('web-1');
    await page.getByText('3 new, 1 refused').waitFor();
    await page.getByText('at 04:05 on Sunday').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Write line 2' }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'Write line 3' }).uncheck();
    await page.getByLabel('Reason').fill('to import');
    await page.getByRole('button', { name: 'Write 2 tasks' }).click();
    await page.getByText('2 created, 1 not chosen').waitFor();
    const made = await listTasks(on.stage.db, { source: 'crontab:web-1' });
    expect(made.map(({ definition }) => definition.handler)).toMatchObject([
      { command: '/opt/rotate' },
      { command: '/opt/weekly' },
    ]);
    expect(await audited(['save'])).toEqual(['save: to import']);
    await context.close();
  });

  test('the forecast shows tasks, or keys, before and after now, as a picture and as a table', async () => {
    const { context, page } = await on.asAdmin('/forecast');
    const rows = page.getByRole('region', { name: 'Before and after now' });
    await rows.getByText('As a table').click();
    const table = rows.getByRole('table', { name: 'Tasks before and after now' });
    const report = table.getByRole('row', { name: /^hourly-report/ });
    expect((await report.getByRole('cell').allTextContents())[4]).toBe('24');
    expect(Number((await report.getByRole('cell').allTextContents())[0])).toBeGreaterThan(0);
    await rows.getByRole('link', { name: 'By key' }).click();
    await page.waitForURL(/by=key/);
    await rows.getByRole('table', { name: 'Keys before and after now' }).waitFor();
    // The marks are at whole hours; the first of them has its date.
    const chart = page.getByRole('region', { name: 'At work at once' });
    const [first = '', ...marks] = await chart.locator('figure span').allTextContents();
    expect(first).toMatch(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w+( \d\d:00)?$/);
    expect(marks.filter((mark) => !/^(\d\d:00|[A-Z][a-z]{2} \d+ [A-Z][a-z]{2})$/.test(mark))).toEqual([]);
    await page.getByRole('searchbox', { name: 'Key' }).fill('hourly-report');
    await page.waitForURL(/key=hourly-report/);
    await chart.getByText('of hourly-report 1 run may be at work at once').waitFor();
    await page.getByRole('searchbox', { name: 'Key' }).fill('');
    await chart.getByText('of hourly-report 1 run').waitFor({ state: 'hidden' });
    // A piece of the past leads to its runs.
    await rows.locator('a[href^="/runs?query=key"]').first().click();
    await page.waitForURL(/runs\?query=key/);
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().waitFor();
    await context.close();
  });

  test('the ledger is verified by a scheduler, and what it found is told', async () => {
    const { context, page } = await on.asAdmin('/about');
    await page.getByRole('table', { name: 'Versions' }).waitFor();
    await presses(page)('Verify it');
    const table = page.getByRole('table', { name: 'Verifications of the ledger' });
    await table.getByText('by ann').waitFor();
    await table.getByText('done').waitFor();
    await table.getByText('no gap').first().waitFor();
    await context.close();
  });

  test('what was read stays while the API is away, and is marked; then it is live again', async () => {
    const { context, page } = await on.asAdmin('/runs');
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'hourly-report' }).first().waitFor();
    await page.evaluate("document.body.setAttribute('data-same', 'yes')");
    const hasPalette = "performance.getEntriesByType('resource').some(({ name }) => name.includes('/palette-'))";
    await expect.poll(() => page.evaluate(hasPalette)).toBe(true);
    await on.stage.whileAway(async () => {
      await page.getByText('The API does not answer.').first().waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      expect(await page.getByRole('link', { name: 'hourly-report' }).count()).toBeGreaterThan(0);
      // A screen whose program is not here yet.
      await page.getByRole('link', { name: 'Calendars' }).click();
      await page.getByRole('heading', { name: 'Loading', exact: true }).waitFor();
      await page.getByText('The API does not answer.').first().waitFor();
    });
    await page.getByRole('heading', { name: 'Calendars', exact: true }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    expect(await page.locator('body[data-same]').count()).toBe(1);
    await context.close();
  });

  test.each(['js', 'css'])(
    'a part that cannot be loaded takes nothing else away, and comes later: .%s',
    async (ending) => {
      const { context, page } = await on.asAdmin();
      const menu = page.getByRole('button', { name: 'Settings and account' });
      await menu.waitFor();
      const wanted = new RegExp(`/assets/menus-.*\\.${ending}$`);
      let server: 'there' | 'away' | 'back' = 'there';
      await page.route('**/*', (route) => {
        if (server === 'there' && wanted.test(route.request().url())) server = 'away';
        return server === 'away' ? route.abort() : route.continue();
      });
      await page.goto(`${on.stage.url}/runs`);
      await expect.poll(() => server, { timeout: 60_000 }).toBe('away');
      server = 'back';
      await menu.waitFor();
      await page.getByRole('table', { name: 'Runs' }).waitFor();
      expect(await page.evaluate("[...document.styleSheets].some(({ href }) => href.includes('/menus-'))")).toBe(true);
      await context.close();
    },
  );

  test('a part that the server does not have any more is told as such: the page is another version', async () => {
    const { context, page } = await on.asAdmin();
    const menu = page.getByRole('button', { name: 'Settings and account' });
    await menu.waitFor();
    await page.route('**/assets/menus-*.js', (route) => route.fulfill({ status: 404 }));
    await page.goto(`${on.stage.url}/runs`);
    await page.getByText('The server has another version by now').waitFor();
    await page.unroute('**/assets/menus-*.js');
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await menu.waitFor();
    await context.close();
  });
});
