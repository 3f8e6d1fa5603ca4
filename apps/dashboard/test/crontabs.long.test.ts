import { randomUUID } from 'node:crypto';
import { systemClock } from '@escapement/core';
import { answerProposal, type HostAnswer } from '@escapement/core/shadow';
import { receiveReports } from '@escapement/operations';
import { cutoversOf, findTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from './stage/browser.ts';
import { HOST } from './stage/crontabs.ts';
import { onStage } from './stage/on-stage.ts';

describe.skipIf(chromiumPath === undefined)('crontabs', () => {
  const on = onStage();
  const answers: HostAnswer[] = [];

  const lineOf = async (task: string) => (await findTask(on.stage.db, task))?.definition.shadow?.line ?? '';
  const nameIn = async (row: Locator) => (await row.getByRole('link').first().textContent()) ?? '';

  /** The host tells what it has started, and answers what it is asked then. */
  async function hostSpeaks(task: string): Promise<string[]> {
    const line = await lineOf(task);
    const word = { reports: [], host: HOST, lines: [{ line, lastStartedAt: systemClock.now() }] };
    const proposals = await receiveReports(on.stage.db, { ...word, answers: [] }, by(HOST));
    for (const proposal of proposals) answers.push(answerProposal(answers, proposal, systemClock.now()));
    await receiveReports(on.stage.db, { ...word, answers }, by(HOST));
    return proposals.map(({ to }) => to);
  }

  const rowOf = (page: Page, task: string | RegExp) => page.getByRole('row', { name: task });
  const doIt = async (page: Page, reason: string) => {
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${HOST} is asked.`).first().waitFor();
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: `Ask ${HOST}`, exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  test('a line that agrees is cut over and given back; the screen says what its host has said', async () => {
    const { context, page, complaints } = await on.asAdmin();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    const poll = rowOf(page, /^poll-orders/);
    const name = await nameIn(poll);
    await poll.getByText('agrees', { exact: true }).waitFor();
    await page
      .getByText(/the host was down: it came up at/)
      .first()
      .waitFor({ state: 'attached' });

    await poll.getByRole('button', { name: 'Cut over' }).click();
    await doIt(page, 'agrees for two days');
    await poll.getByText(`${HOST} has not answered`).waitFor();
    const waiting = poll.getByRole('button', { name: 'Cut over' });
    await expect.poll(() => waiting.getAttribute('aria-disabled')).toBe('true');

    // The screen is told of it.
    expect(await hostSpeaks(name)).toEqual(['fleet']);
    await poll.getByText('the fleet from').waitFor();
    await poll.getByText(`${HOST} has agreed`).waitFor();

    await poll.getByRole('button', { name: 'Back to cron' }).click();
    await doIt(page, 'not today');
    expect(await hostSpeaks(name)).toEqual(['cron']);
    await poll.getByText('cron from').waitFor();
    const { rows } = await on.stage.db.pool.query(
      `SELECT action, reason FROM audit WHERE action = 'cut over' AND reason IS NOT NULL ORDER BY id`,
    );
    expect(rows).toEqual([
      { action: 'cut over', reason: 'agrees for two days' },
      { action: 'cut over', reason: 'not today' },
    ]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('somebody answers in the place of a host; what it says later is shown, and that it is not the same', async () => {
    const { page, complaints } = await on.asAdmin('/crontabs');
    const dump = rowOf(page, /^pg_dump/);
    await dump.getByRole('button', { name: 'Cut over' }).click();
    await doIt(page, 'agrees');
    await dump.getByRole('button', { name: `Answer for ${HOST}` }).click();
    const dialog = page.getByRole('dialog');
    const answer = dialog.getByRole('button', { name: 'Answer', exact: true });
    expect(await answer.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Yes, it has' }).click();
    await dialog.getByText('Then the fleet runs the line from').waitFor();
    await dialog.getByRole('button', { name: 'No, it has not' }).click();
    await dialog.getByText('Then cron goes on running the line.').waitFor();
    await dialog.getByLabel('Reason').fill('the host is gone');
    await answer.click();
    await dialog.waitFor({ state: 'hidden' });
    await dump.getByText(`has refused the last cut-over in the place of ${HOST}`).waitFor();
    expect(await dump.getByRole('button', { name: `Answer for ${HOST}` }).count()).toBe(0);
    const { rows } = await on.stage.db.pool.query(
      `SELECT reason, detail->>'answer' AS answer FROM audit WHERE action = 'settle cut-over'`,
    );
    expect(rows).toEqual([{ reason: 'the host is gone', answer: 'refused' }]);

    const id = (await cutoversOf(on.stage.db, [await lineOf(await nameIn(dump))])).at(-1)?.id ?? '';
    const answers = [{ id, answer: 'taken', answeredAt: systemClock.now() }] as const;
    await receiveReports(on.stage.db, { reports: [], host: HOST, lines: [], answers }, by(HOST));
    await dump.getByText(`${HOST} has answered otherwise than`).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a difference that nothing explains is shown open, and lines are found by their command', async () => {
    const { page } = await on.asAdmin('/crontabs');
    await rowOf(page, /^mail-figures/)
      .getByText('differs', { exact: true })
      .waitFor();
    await page.getByText('due here, and the host has reported no start, though it was up').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('pg_dump');
    await page.waitForURL(/name=pg_dump/);
    await rowOf(page, /^mail-figures/).waitFor({ state: 'hidden' });
    await rowOf(page, /^pg_dump/).waitFor();
  });

  test('a viewer sees what cannot be done, and why', async () => {
    const { page } = await on.asViewer('/crontabs');
    const bulkAction = rowOf(page, /^mail-figures/).getByRole('button', { name: 'Cut over' });
    expect(await bulkAction.getAttribute('aria-disabled')).toBe('true');
    await bulkAction.hover();
    await page.getByText('You need the right `edit` for this.').first().waitFor();
  });

  test('what a host tells appears by itself', async () => {
    const { page } = await on.asAdmin('/crontabs');
    const dump = rowOf(page, /^pg_dump/);
    const at = systemClock.now();
    const start = { line: await lineOf(await nameIn(dump)), host: HOST, startedAt: at, endedAt: at, bootedAt: null };
    const report = { id: randomUUID(), ...start, exitCode: 77, signal: null };
    await receiveReports(on.stage.db, { reports: [report], lines: [], answers: [] }, by(HOST));
    // By the event: the screen looks each minute, too.
    await dump.getByText('77 (1)').waitFor({ timeout: 50_000 });
  });
});
