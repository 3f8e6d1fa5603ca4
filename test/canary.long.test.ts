import { parseEgress } from '@escapement/core/egress';
import { saveTask, triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../apps/cli/test/cli.ts';
import { argumentsOf, readers } from './canary/commands.ts';
import { type Canary, DOORS, type Ended, startCanary } from './canary/fleet.ts';
import { formsOfWord, ledgerText, processText, redisText } from './canary/places.ts';

// One secret goes through every door by which something can leave a handler; then it must stand nowhere. With it goes a word
// that is no secret: it shows that the door was open, and that we look in the right places.

const WRITTEN = 'written-report';

let canary: Canary;
const ended = new Map<string, Ended>();
const doorOf = ({ kind, door }: (typeof DOORS)[number]) => `${kind}: ${door}`;

beforeAll(async () => {
  canary = await startCanary();
  const runs = await Promise.all(DOORS.map(async (at) => [doorOf(at), await canary.put(at.kind, at.door)] as const));
  for (const [door, run] of runs) ended.set(door, run);
});

function hits(text: string, word: string): string[] {
  return formsOfWord(word).filter((form) => text.includes(form));
}

test.each(DOORS)('$kind: $door: $fate', async (at) => {
  const run = ended.get(doorOf(at));
  const { rows } = await canary.db.pool.query<{ text: string }>(
    `SELECT concat_ws(' ', r::text, (SELECT string_agg(l.text, '' ORDER BY l.seq) FROM run_log_chunk l WHERE l.run_id = r.id)) AS text
     FROM run r WHERE id = $1`,
    [run?.id],
  );
  const text = rows[0]?.text ?? '';
  expect(hits(text, canary.secret)).toEqual([]);
  if (at.fate === 'masked') expect(text).toMatch(/open-.*\*\*\*|\*\*\*.*open-/s);
  else expect(text).toContain('secret_kept');
});

test('the ledger holds it nowhere', async () => {
  const tables = await ledgerText(canary.db);
  expect(tables.size).toBeGreaterThan(20);
  expect(tables.get('run')).toContain('open-code-output');
  for (const [table, text] of tables) expect({ table, hits: hits(text, canary.secret) }).toEqual({ table, hits: [] });
});

test('Redis holds it nowhere', async () => {
  const text = await redisText(canary.redis);
  expect(text).toContain('bull');
  expect(hits(text, canary.secret)).toEqual([]);
});

/** Messages of a group come half a minute apart: what waits for that is due now. */
async function dueNow(): Promise<void> {
  await canary.db.pool.query("UPDATE delivery SET try_at = now() WHERE state = 'pending' AND try_at > now()");
}

test('no message about an alert has it', { timeout: 120_000 }, async () => {
  const patience = { timeout: 100_000 };
  // Of a task that fails again only the last failure is told.
  await expect.poll(() => canary.echo.notices.join('\n'), patience).toMatch(/"why":\["[^"]*open-/);
  const waiting = "SELECT FROM delivery WHERE state = 'pending' UNION ALL SELECT FROM alert WHERE tell IS NOT NULL";
  await expect
    .poll(async () => {
      await dueNow();
      return (await canary.db.pool.query(waiting)).rowCount;
    }, patience)
    .toBe(0);
  const text = canary.echo.notices.join('\n');
  expect(hits(text, canary.secret)).toEqual([]);
});

test('no line of scheduler and worker has it', () => {
  const text = canary.processes.flatMap(({ lines }) => lines).join('\n');
  expect(text).toContain('leak');
  expect(hits(text, canary.secret)).toEqual([]);
});

test.runIf(process.platform === 'linux')('no process has it in its arguments or environment', () => {
  for (const what of ['cmdline', 'environ'] as const) {
    const text = processText(what);
    expect(text.length).toBeGreaterThan(100);
    expect(hits(text, canary.secret)).toEqual([]);
  }
});

describe('a password that somebody wrote into a definition', () => {
  beforeAll(async () => {
    const { db, written: word, echo } = canary;
    await saveTask(
      db,
      {
        name: WRITTEN,
        schedule: { kind: 'manual' },
        handler: {
          type: 'http',
          url: `${echo.url('mirror').replace('//', `//app:${word}@`)}?token=${word}`,
          headers: { Authorization: `Bearer ${word}`, 'X-Api-Key': word },
          body: { password: word },
        },
        notify: { webhook: [echo.url(`notice-${word}`)] },
      },
      { source: 'test', by: by('test'), egress: parseEgress('public,loopback') },
    );
    await triggerTask(db, WRITTEN, { by: by('test') });
  });

  test('comes back from a server, and the run fails', async () => {
    await expect
      .poll(
        async () => {
          await dueNow();
          return canary.echo.notices.some((notice) => notice.includes(WRITTEN));
        },
        { timeout: 60_000 },
      )
      .toBe(true);
  });

  test('is kept where the task is kept, and nowhere else', async () => {
    const tables = await ledgerText(canary.db);
    const kept = [...tables].filter(([, text]) => hits(text, canary.written).length > 0).map(([table]) => table);
    expect(kept.sort()).toEqual(['task', 'task_version']);
    expect(tables.get('run_log_chunk')).toContain('token=***');
    expect(tables.get('run')).toContain('token=***');
  });

  test('shows in no notice, no line of a process and not in Redis', async () => {
    const lines = canary.processes.flatMap((process) => process.lines).join('\n');
    for (const text of [canary.echo.notices.join('\n'), lines, await redisText(canary.redis)])
      expect(hits(text, canary.written)).toEqual([]);
  });

  test('no command that shows something shows it, nor the secret, as a table or as JSON', async () => {
    const given = argumentsOf([...ended.values()], ['leak', 'shell-output', 'http-body', WRITTEN]);
    const failed: string[] = [];
    let shown = '';
    for (const command of await readers())
      for (const args of given[command] ?? [[]])
        for (const format of ['table', 'json']) {
          const line = [...command.split(' '), ...args, '-o', format];
          const { stdout, stderr } = await runCli(line, { env: canary.env });
          for (const word of [canary.secret, canary.written])
            if (hits(stdout + stderr, word).length > 0) failed.push(line.join(' '));
          shown += stdout;
        }
    expect(failed).toEqual([]);
    for (const { open } of ended.values()) expect(shown).toContain(open.slice(0, 10));
  }, 600_000);
});
