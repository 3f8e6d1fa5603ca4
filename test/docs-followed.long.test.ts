import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Block, blocksIn, placeOf } from '../scripts/docs/blocks.ts';
import { compare, type Ids, withIds } from '../scripts/docs/shown.ts';
import { root } from '../scripts/process.mjs';
import { environment, makeClone, shell } from './docs/clone.ts';
import { openTerminal, type Terminal } from './docs/fleet.ts';
import { accountOf, allLines, writeFiles } from './docs/lines.ts';

const TUTORIAL = 'docs/tutorial.md';
const text = readFileSync(path.join(root, TUTORIAL), 'utf8');
const blocks = blocksIn(TUTORIAL, text);

const cwd = await makeClone();
const at = { cwd, env: environment() };
const SHOP = path.join(cwd, 'tasks/shop.ts');

/**
 * Commands that are given again until they show what is shown: those that change nothing, because it comes a little later, and a start by
 * hand, which is skipped where a run of the schedule is at work just then.
 */
const REPEATED =
  /escapement (?:(?:tasks (?:list|stats|history|trigger)|runs (?:list|logs|show|tree)|doctor|verify-ledger)\b|.* --dry-run$)/;

/** A command of the block, and what is shown below it. */
function exchangesOf({ text: session }: Block): { command: string; shown: string }[] {
  return session
    .split(/^\$ /m)
    .slice(1)
    .map((exchange) => {
      const [command = '', ...shown] = exchange.trimEnd().split('\n');
      return { command, shown: shown.join('\n') };
    });
}

/** The terminals in which something goes on. */
const terminals: Terminal[] = [];

test('the tutorial can be followed: each command prints what is shown, and each file works', async () => {
  const ids: Ids = new Map();
  for (const block of blocks) {
    const [terminal] = terminals;
    if (block.language === 'ts') await terminal?.whileStarting('worker is running', () => edit(block));
    if (block.text.includes('runs rerun')) await terminal?.whileStarting('worker is running', openShop);
    if (block.text.includes('tasks pause')) await twoHaveFailed();
    if (block.text.includes('tasks delete')) rmSync(SHOP);
    for (const { command, shown } of block.language === 'console' ? exchangesOf(block) : []) {
      if (command === 'npm run dev') terminals.push(await start(command, shown));
      else await follow({ command, shown, place: placeOf(block), ids });
    }
  }
  expect(existsSync(SHOP)).toBe(false);
  expect(terminals).toHaveLength(1);
}, 600_000);

test('what other documents say to type is carried out on the same fleet', async () => {
  const [terminal] = terminals;
  await terminal?.whileStarting('worker is running', () => writeFiles(cwd));
  const lines = allLines();
  const env = { ...at.env, HOME: cwd, PATH: `${path.join(cwd, 'node_modules/.bin')}:${process.env.PATH}` };
  const failed: string[] = [];
  for (const { place, command } of lines.filter(({ leftOut }) => leftOut === undefined)) {
    const differs = async () => {
      const { code, printed } = await shell(command, { cwd, env });
      return code === 0 ? '' : `${place}: ${command} ended with ${code}: ${printed}`;
    };
    if (REPEATED.test(command)) await expect.poll(differs, { timeout: 60_000 }).toBe('');
    else failed.push(await differs());
  }
  process.stdout.write(`lines of the documents:\n${accountOf(lines)}\n`);
  expect(failed.filter((told) => told !== '')).toEqual([]);
}, 600_000);

test('Ctrl-C ends all that was started', async () => {
  for (const terminal of terminals) {
    await terminal.interrupt();
    expect(terminal.lines()).toContain('dev       | stopped');
  }
});

async function start(command: string, shown: string): Promise<Terminal> {
  const terminal = openTerminal(command, at);
  await terminal.waitFor('dev       | ready in');
  expect(compare(shown, terminal.lines().join('\n'), new Map())).toEqual([]);
  return terminal;
}

interface Exchange {
  command: string;
  shown: string;
  place: string;
  ids: Ids;
}

async function follow({ command, shown, place, ids }: Exchange): Promise<void> {
  const line = withIds(command, ids);
  const differs = async () => {
    const ended = await shell(line, at);
    const { code } = ended;
    const printed = ended.printed.replaceAll(cwd, '/home/ann/escapement');
    const missing = compare(shown, printed, ids);
    return missing.length === 0 && code === 0
      ? ''
      : [`${place}: ${line} ended with ${code}`, ...missing, 'but:', printed].join('\n');
  };
  if (REPEATED.test(command)) await expect.poll(differs, { timeout: 60_000 }).toBe('');
  else expect(await differs()).toBe('');
}

/** Each attempt fails, and then the run: the reader waits for half a minute. */
async function twoHaveFailed(): Promise<void> {
  const failed = async () => {
    const { printed } = await shell('npx escapement runs list --task count-orders --limit 2', at);
    return printed.split('(attempt 2 of 2)').length - 1;
  };
  await expect.poll(failed, { timeout: 120_000 }).toBe(2);
}

/** The first block of code is the file; the second has the lines that go into it. */
function edit({ text: code }: Block): void {
  if (!existsSync(SHOP)) {
    writeFileSync(SHOP, `${code}\n`);
    return;
  }
  const [open = '', retry = '', check = ''] = code.split('\n\n');
  inShop((file) =>
    file
      .replace(/^export default/m, `${open}\n\n$&`)
      .replace(/^ *timeoutMs:.*$/m, `$&\n${retry}`)
      .replace(/^ *async run.*$/m, `$&\n${check}`),
  );
}

/** What stands above the command that runs the failed run again. */
function openShop(): void {
  inShop((file) => file.replace('shopIsOpen = false', 'shopIsOpen = true'));
}

function inShop(change: (file: string) => string): void {
  writeFileSync(SHOP, change(readFileSync(SHOP, 'utf8')));
}
