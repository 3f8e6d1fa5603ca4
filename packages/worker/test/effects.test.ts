import type { HandlerOutcome, TaskState } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { pruneSmallTables, readLogs, readTaskState, tasksAskingLate } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
let outcome: (state: TaskState | undefined) => HandlerOutcome | Promise<HandlerOutcome> = () => ({
  status: 'succeeded',
});
await fleet.startWorker(async ({ state }) => await outcome(state));

async function runOnce(name: string, handler: typeof outcome) {
  outcome = handler;
  const ended = fleet.event('run_finished', ({ task }) => task === name);
  await triggerTask(fleet.db, name, { by: by('test') });
  await fleet.dispatcher.runOnce();
  return await ended;
}

const keep = (count: number, version: number): HandlerOutcome => ({
  status: 'succeeded',
  effects: { state: { value: { count }, version, shape: 1 } },
});

async function stateOf(name: string): Promise<TaskState> {
  const { rows } = await fleet.db.pool.query<{ id: string }>('SELECT id FROM task WHERE name = $1', [name]);
  return await readTaskState(fleet.db, rows[0]?.id ?? '', name);
}

it('a state is found by the next run, and kept of those that succeed only', async () => {
  await fleet.save({ name: 'counts', state: {} });
  const found: (TaskState | undefined)[] = [];
  const failed: HandlerOutcome = { status: 'failed', error: { name: 'E', message: 'no' } };
  for (const ending of [keep(1, 0), failed, keep(2, 1)])
    await runOnce('counts', (state) => {
      found.push(state);
      return ending;
    });
  expect(found.map((state) => [state?.version, state?.value])).toEqual([
    [0, undefined],
    [1, { count: 1 }],
    [1, { count: 1 }],
  ]);
  expect(await stateOf('counts')).toEqual({ value: { count: 2 }, version: 2, shape: 1 });
});

it('a state that somebody changed meanwhile stays, and the run has failed', async () => {
  await fleet.save({ name: 'raced', state: {} });
  await runOnce('raced', () => keep(1, 0));
  const ended = await runOnce('raced', async () => {
    await fleet.db.pool.query(
      `UPDATE task_state SET value = '{"count": 100}', version = version + 1, updated_by = 'me'`,
    );
    return keep(2, 1);
  });
  expect(ended.state).toBe('failed');
  expect(ended.reason).toContain("the task's state was changed while it ran");
  expect((await stateOf('raced')).value).toEqual({ count: 100 });
});

it('next: the schedule rests until then, and the run of that date is noted; never again: without end', async () => {
  await fleet.save({ name: 'decides', schedule: { kind: 'every', everyMs: 3_600_000 } });
  const at = new Date(Date.parse('2100-01-01T00:00:00Z'));
  await runOnce('decides', () => ({ status: 'succeeded', effects: { next: at } }));
  const pauses = async () =>
    (
      await fleet.db.pool.query(
        `SELECT until_at, note FROM task_pause p JOIN task t ON t.id = p.task_id WHERE t.name = 'decides'
         AND (until_at IS NULL OR until_at > now())`,
      )
    ).rows;
  const next = async () =>
    (await fleet.db.pool.query(`SELECT not_before, detail FROM followers_outbox f WHERE event = 'next'`)).rows;
  expect(await pauses()).toEqual([
    { until_at: new Date(at.getTime() + 1), note: expect.stringContaining('next run at 2100') },
  ]);
  expect(await next()).toEqual([{ not_before: new Date(at.getTime() - 60_000), detail: { at: at.getTime() } }]);
  await runOnce('decides', () => ({ status: 'succeeded', effects: { next: null } }));
  expect(await pauses()).toEqual([{ until_at: null, note: expect.stringContaining('no further run') }]);
  expect(await next()).toEqual([]);
});

it('a task that decides each time leaves one rest, unless rows of the ledger lie in the others', async () => {
  await fleet.save({ name: 'often', schedule: { kind: 'manual' } });
  const rests = async () =>
    (
      await fleet.db.pool.query(
        `SELECT p.note FROM task_pause p JOIN task t ON t.id = p.task_id WHERE t.name = 'often' ORDER BY p.created_at`,
      )
    ).rows;
  const over = () =>
    fleet.db.pool.query(
      `UPDATE task_pause p SET from_at = now() - interval '1 hour', until_at = now() - interval '1 s'
       FROM task t WHERE t.id = p.task_id AND t.name = 'often'`,
    );
  const decide = (year: number) =>
    runOnce('often', () => ({ status: 'succeeded', effects: { next: new Date(Date.UTC(year, 0)) } }));
  for (const year of [2100, 2101, 2102]) {
    await decide(year);
    await over();
  }
  expect(await rests()).toEqual([{ note: expect.stringContaining('next run at 2102') }]);
  await triggerTask(fleet.db, 'often', { by: by('test') });
  await fleet.db.pool.query(
    `UPDATE run r SET origin = 'schedule', state = 'skipped', reason = 'paused', finished_at = now()
     FROM task t WHERE t.id = r.task_id AND t.name = 'often' AND r.attempt = 0`,
  );
  await fleet.db.pool.query(
    `UPDATE task_pause p SET until_at = now() FROM task t WHERE t.id = p.task_id AND t.name = 'often'`,
  );
  await decide(2103);
  expect(await rests()).toEqual([2102, 2103].map((year) => ({ note: expect.stringContaining(`next run at ${year}`) })));
});

it('rests that are over for an hour are forgotten, those of people are kept as long as the runs', async () => {
  await fleet.save({ name: 'rested', schedule: { kind: 'manual' } });
  await fleet.db.pool.query(
    `INSERT INTO task_pause (task_id, from_at, until_at, created_by, run_id)
     SELECT t.id, now() - age.of - interval '1 day', now() - age.of, age.who, CASE age.who WHEN 'run' THEN t.id END
     FROM task t, (VALUES ('run', interval '2 hours'), ('run', interval '30 min'), ('me', interval '20 days'),
       ('me', interval '40 days')) AS age(who, of) WHERE t.name = 'rested'`,
  );
  await pruneSmallTables(fleet.as.scheduler);
  const { rows } = await fleet.db.pool.query(
    `SELECT p.created_by AS who FROM task_pause p JOIN task t ON t.id = p.task_id WHERE t.name = 'rested' ORDER BY 1`,
  );
  expect(rows).toEqual([{ who: 'me' }, { who: 'run' }]);
});

it('a next run in the past follows a second later; each run says so in its log, a worker once of a task, and doctor is told', async () => {
  await fleet.save({ name: 'hurries', schedule: { kind: 'manual' } });
  expect(await tasksAskingLate(fleet.db)).toEqual([]);
  for (let again = 0; again < 2; again++) {
    const { run: id } = await runOnce('hurries', () => ({ status: 'succeeded', effects: { next: new Date(0) } }));
    const { rows } = await fleet.db.pool.query(
      `SELECT round(extract(epoch FROM p.until_at - p.from_at) * 1000)::integer AS ms, p.asked_late FROM task_pause p WHERE p.run_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ ms: 1001, asked_late: true }]);
    const log = (await readLogs(fleet.db, id, { limit: 10 })).map(({ text }) => text).join('');
    expect(log).toContain('asked for its next run at 1970-01-01T00:00:00.000Z, which has passed');
  }
  expect(fleet.events.filter(({ event }) => event === 'next_has_passed')).toMatchObject([{ task: 'hurries' }]);
  expect(await tasksAskingLate(fleet.db)).toEqual(['hurries']);
  await runOnce('hurries', () => ({ status: 'succeeded', effects: { next: null } }));
  expect(await tasksAskingLate(fleet.db)).toEqual([]);
});

const hostile: [string, HandlerOutcome, { state: string; reason: RegExp }][] = [
  ['NUL in the output', { status: 'succeeded', output: { a: '\0' } }, { state: 'failed', reason: /NUL/ }],
  [
    'half a surrogate pair in a payload',
    { status: 'succeeded', effects: { chain: [{ task: 'counts', payload: '\ud800' }] } },
    { state: 'failed', reason: /surrogate/ },
  ],
  [
    'NUL in the name of a task',
    { status: 'succeeded', effects: { chain: [{ task: 'a\0b' }] } },
    { state: 'failed', reason: /names no task/ },
  ],
  [
    'a next run in the year 275760',
    { status: 'succeeded', effects: { next: new Date(8.64e15) } },
    { state: 'failed', reason: /between 1970-01-01T00:00:00Z and 9999/ },
  ],
  [
    'a next run in the year 0',
    { status: 'succeeded', effects: { next: new Date('0000-01-01T00:00:00Z') } },
    { state: 'failed', reason: /between 1970/ },
  ],
  ['NUL in the reason of a skip', { status: 'skipped', reason: 'a\0b' }, { state: 'skipped', reason: /^a\ufffdb$/ }],
  [
    'NUL everywhere in an error',
    {
      ...{ status: 'failed', seen: '\0', exitCode: 2 ** 40, retry: { at: new Date(Number.NaN) } },
      error: {
        name: '\0',
        message: 'a\0b',
        stack: '\ud800',
        fields: { '\0': '\0' },
        cause: { name: '\0', message: '\0' },
      },
    },
    { state: 'failed', reason: /^a\ufffdb$/ },
  ],
];

it.each(hostile)(
  'an end with %s is written once: the run is neither repeated nor taken for lost',
  async (name, end, is) => {
    const task = `hostile-${hostile.findIndex(([each]) => each === name)}`;
    await fleet.save({ name: task, schedule: { kind: 'every', everyMs: 3_600_000 }, retry: { maxAttempts: 1 } });
    const ended = await runOnce(task, () => end);
    expect([ended.state, ended.reason]).toEqual([is.state, expect.stringMatching(is.reason)]);
    const { rows } = await fleet.db.pool.query(
      `SELECT r.state, r.attempt, r.lost FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 AND r.origin = 'trigger'`,
      [task],
    );
    expect(rows).toEqual([{ state: is.state, attempt: 1, lost: 0 }]);
  },
);

it('the last instant there is may be the next run', async () => {
  await fleet.save({ name: 'last-instant', schedule: { kind: 'every', everyMs: 3_600_000 } });
  const next = new Date('9999-12-31T23:59:59.999Z');
  expect((await runOnce('last-instant', () => ({ status: 'succeeded', effects: { next } }))).state).toBe('succeeded');
  expect(await fleet.planner.runOnce()).toBeDefined();
});
