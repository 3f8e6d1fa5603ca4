import { appendLogs, type Database } from '@escapement/store';
import type { Tab } from './tab.ts';
import { median } from './table.ts';

/** Lines of a hundred bytes: just under the 10 MiB that the ledger keeps of a run. */
const LINES = 104_000;
/** In a chunk: just under 64 KiB. */
const CHUNK = 650;
const ROUNDS = 4;
const LEVELS = ['error', 'warn and above', 'info and above'];

/** Gives a run that is over a log of as much as is kept. Its id. */
export async function addLongLog(db: Database): Promise<string> {
  const { rows } = await db.pool.query<{ id: string; scheduled_for: Date }>(
    `SELECT id, scheduled_for FROM run WHERE namespace = $1 AND state = 'succeeded' ORDER BY scheduled_for DESC LIMIT 1`,
    [db.namespace],
  );
  const [run] = rows;
  if (!run) throw new Error('there is no run that has succeeded');
  await db.pool.query(`SELECT make_partition('run_log_chunk', $1)`, [run.scheduled_for]);
  for (let first = 0; first < LINES; first += CHUNK) {
    const text = Array.from({ length: Math.min(CHUNK, LINES - first) }, (_, index) => lineOf(first + index)).join('');
    await appendLogs(db, [{ runId: run.id, attempt: 1, seq: first / CHUNK + 1, text }]);
  }
  return run.id;
}

function lineOf(index: number): string {
  const level = index % 1000 === 999 ? 'ERROR' : index % 10 === 9 ? 'WARN' : 'INFO';
  return `${`${level} line ${index}: customer ${7 * index} is in the Archive`.padEnd(99)}\n`;
}

/** Letters of a filter, levels, and keys in the log of a run that `addLongLog` has filled; the 95th percentile in milliseconds. */
export async function measureLog(tab: Tab, address: string): Promise<number> {
  const { page } = tab;
  await page.goto(address);
  await page.getByText(`${LINES.toLocaleString('en')} lines`).waitFor();
  const log = page.getByRole('log');
  const filter = page.getByRole('textbox', { name: 'Show lines with' });
  for (let round = 0; round < ROUNDS; round++) {
    await filter.pressSequentially(`customer ${6471 + round}`, { delay: 60 });
    for (let letter = 0; letter < 6; letter++) await filter.press('Backspace', { delay: 60 });
    await filter.press('Control+a');
    await filter.press('Backspace');
    for (const level of LEVELS) {
      await page.getByLabel('Level').first().click();
      await page.getByRole('option', { name: level, exact: true }).click();
    }
    await log.focus();
    for (const key of ['End', 'PageUp', 'Home', 'PageDown']) await page.keyboard.press(key);
  }
  const tookMs = (await tab.interactions()).toSorted((one, other) => one - other);
  const p95 = tookMs[Math.floor(0.95 * (tookMs.length - 1))] ?? Number.NaN;
  process.stdout.write(
    `${tookMs.length} interactions on a log of 10 MiB: p50 ${median(tookMs)} ms, p95 ${p95} ms, longest ${tookMs.at(-1)} ms\n`,
  );
  return p95;
}
