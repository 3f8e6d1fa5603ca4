import { saveCalendar, saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const json = async (...args: string[]) => JSON.parse((await run(...args, '-o', 'json')).stdout);

for (const name of ['dump', 'mail'])
  await saveTask(db, { name, handler: { type: 'shell', command: 'true' } }, { source: 'cli', by: by('test') });

const DOCUMENT = `
rules: [{ name: failed, when: { kind: failed } }, { name: own, on: { task: dump }, when: { kind: held } }]
receivers:
  ops: { type: slack, url: https://hooks.example/s3cret }
  pager: { type: pagerduty, routingKey: k3y }
  phone: { type: ntfy, url: https://ntfy.example/t0pic, token: t0ken }
routes: [{ receivers: [ops, pager] }]
`;

/** A scheduler opens alerts by what it finds: a row says what it has found. */
async function anAlert(name: string, state = 'firing'): Promise<string> {
  const { rows } = await db.pool.query<{ id: bigint }>(
    `INSERT INTO alert (namespace, rule, kind, severity, subject, task_id, labels, state, summary, why, since, last_at, fire_at, fired_at, resolved_at)
     SELECT 'default', 'failed', 'failed', 'critical', gen_random_uuid()::text, t.id, '{}', $2, name || ' failed', '["exit code 3"]', now(), now(), now(), now(), CASE WHEN $2 = 'resolved' THEN now() END
     FROM task t WHERE name = $1 RETURNING id`,
    [name, state],
  );
  return String(rows[0]?.id);
}

test('alerts are listed by task and state, the latest first, and as many as are asked for', async () => {
  const dump = await anAlert('dump');
  const mail = await anAlert('mail', 'resolved');
  expect((await run('alerts', 'list')).stdout).toMatch(
    new RegExp(`^ *${dump} +firing +critical +failed .*dump failed`, 'm'),
  );
  expect(await json('alerts', 'list', '--task', 'mail')).toEqual([]);
  expect(await json('alerts', 'list', '--all')).toMatchObject([{ id: mail }, { id: dump }]);
  expect(await json('alerts', 'list', '--all', '--limit', '1')).toMatchObject([{ id: mail }]);
  await db.pool.query(
    `INSERT INTO alert (namespace, rule, kind, severity, subject, labels, state, summary, since, last_at, fire_at)
     SELECT 'default', 'no-worker', 'no-worker', 'critical', n::text, '{}', 'pending', 'n', now(), now(), now() FROM generate_series(1, 1500) n`,
  );
  expect(await json('alerts', 'list', '--limit', '10000')).toHaveLength(1501);
  await db.pool.query("DELETE FROM alert WHERE rule = 'no-worker'");
  expect((await run('alerts', 'list', '--task', 'mail')).stderr).toBe('nothing is wrong: no rule fires\n');
});

test('an alert is shown with why and whom it was told, and whoever looks after it says so', async () => {
  const id = await anAlert('dump');
  expect((await run('alerts', 'show', id)).stdout).toMatch(/^dump failed\n[\s\S]*Told: +nobody[\s\S]*exit code 3/);
  expect(await run('alerts', 'ack', id, '--reason', 'I look')).toMatchObject({ code: 0 });
  expect(await json('alerts', 'show', id)).toMatchObject({ id, note: 'I look', acknowledgedBy: expect.any(String) });
  expect((await run('alerts', 'ack', id)).stderr).toMatch(/was acknowledged by[\s\S]*alerts list/);
  expect(await run('alerts', 'show', '999')).toMatchObject({
    code: 2,
    stderr: 'error: there is no alert 999\n  see `escapement alerts list --all`\n',
  });
});

test('a silence is made with a reason, listed, and ended', async () => {
  const made = await json('alerts', 'silence', 'task=dump', '--until', '2h', '--reason', 'new disks');
  expect(await json('alerts', 'silences')).toMatchObject([{ id: made.id, match: 'task=dump', note: 'new disks' }]);
  expect((await run('alerts', 'silences')).stdout).toMatch(/ task=dump .* new disks$/m);
  expect((await run('alerts', 'explain', 'dump')).stdout).toContain(`silence ${made.id} (task=dump) is in force`);
  expect(await run('alerts', 'unsilence', made.id)).toMatchObject({ code: 0, stdout: `silence ${made.id} is over\n` });
  expect((await run('alerts', 'silences')).stderr).toBe('there is no silence in force\n');
  expect((await run('alerts', 'unsilence', made.id)).stderr).toContain(`no silence ${made.id} is in force`);
  const typo = await run('alerts', 'silence', 'task=dmup,teem=shop', '--until', '2h', '--reason', 'x');
  expect(typo.stderr).toBe('warning: no alert has task=dmup\nwarning: no alert has the label teem\n');
  expect((await run('alerts', 'silence', 'task', '--until', '2h', '--reason', 'x')).code).toBe(2);
  expect((await run('alerts', 'silence', 'task=dump', '--until', '2020-01-01', '--reason', 'x')).stderr).toBe(
    'error: it is to last until 2020-01-01T00:00:00.000Z, which has passed\n  give an instant that is still to come\n',
  );
});

test('the document is saved, given back as it is, and shown without secrets', async () => {
  const set = (input: string) => runCli(['alerts', 'set', '-'], { env, input });
  expect(await set(DOCUMENT)).toMatchObject({ code: 0, stdout: expect.stringContaining('created (version 1)') });
  const { stdout: document } = await run('alerts', 'get');
  expect(document).toContain('s3cret');
  expect(await set(document)).toMatchObject({ code: 0, stdout: expect.stringContaining('so already (version 1)') });
  for (const format of ['table', 'json']) {
    const { stdout } = await run('alerts', 'rules', '-o', format);
    expect(stdout).toMatch(/hooks\.example[\s\S]*pagerduty[\s\S]*ntfy\.example/);
    expect(stdout).not.toMatch(/s3cret|k3y|t0pic|t0ken/);
  }
  const bad = await set('rules: [{ name: x, when: { kind: faild } }]');
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringMatching(/rules\.0\.when/)]);
  expect((await set('rules: [')).stderr).toContain('- is neither YAML nor JSON');
});

test('what rules are for, where receivers are and when routes are open is shown as it is', async () => {
  const { stdout: before } = await run('alerts', 'get');
  await saveCalendar(db, 'holidays', { timeZone: 'UTC', entries: [{ hours: ['0-24'] }] }, by('test'));
  const input = `
rules: [{ name: quiet, when: { kind: monitor-missed }, on: { monitor: backup } }]
receivers: { pager: { type: pagerduty, routingKey: k3y, url: https://events.eu.pagerduty.com/v2/enqueue } }
routes: [{ receivers: [pager], hours: { timeZone: UTC, days: [6, 7], to: "08:00", exclude: [holidays] } }]
`;
  expect(await runCli(['alerts', 'set', '-'], { env, input })).toMatchObject({ code: 0 });
  const { stdout } = await run('alerts', 'rules');
  expect(stdout).toMatch(/^quiet +warning +monitor backup +monitor-missed$/m);
  expect(stdout).toMatch(/^pager +pagerduty +https:\/\/events\.eu\.pagerduty\.com\//m);
  expect(stdout).toMatch(/^all +pager +Sat,Sun 00:00-08:00 UTC, not in holidays +done$/m);
  await runCli(['alerts', 'set', '-'], { env, input: before });
});

test('what counts for a task is explained by its name', async () => {
  const { stdout } = await run('alerts', 'explain', 'dump');
  expect(stdout).toMatch(/^failed: .* \(by the rule for all\)\n {2}failed -> ops, pager$/m);
  expect(stdout).toMatch(/^held: held \(by the rule for the task\)\n {2}own -> ops, pager$/m);
  expect((await run('alerts', 'explain', 'dmp')).stderr).toContain('did you mean dump?');
});

test('a document is saved, and each of its receivers is tested', async () => {
  const before = (await run('alerts', 'get')).stdout;
  const saving = runCli(['alerts', 'set', '-', '--test'], {
    env,
    input: `rules: []
receivers:
  good: { type: slack, url: https://hooks.example/good }
  bad: { type: slack, url: https://hooks.example/bad }
  kept: { type: inbox }
`,
  });
  const sent = async (receiver: string, ended: string) => {
    const settle = `UPDATE delivery SET tries = 1, ${ended} WHERE receiver = '${receiver}' AND state = 'pending' RETURNING id`;
    await expect.poll(async () => (await db.pool.query(settle)).rows.length).toBe(1);
  };
  await sent('good', `state = 'sent', ended_at = now()`);
  await sent('bad', `error = 'no such hook'`);
  expect(await saving).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('the alerts are '),
    stderr: expect.stringMatching(
      /good has taken the test\nthe test did not reach bad: no such hook\nerror: saved, and the test did not reach bad\n/,
    ),
  });
  const again = await runCli(['alerts', 'set', '-'], { env, input: before });
  expect(again.stderr).toContain('no test was sent to ');
  await db.pool.query('DELETE FROM delivery');
});

test('messages are listed with what became of each, and a test says what became of it', async () => {
  const testing = run('alerts', 'test', 'ops');
  const pending = "SELECT id FROM delivery WHERE state = 'pending'";
  await expect.poll(async () => (await db.pool.query(pending)).rows.length).toBe(1);
  await db.pool.query(`UPDATE delivery SET state = 'sent', tries = 1, text = 'a test', ended_at = now()`);
  expect(await testing).toMatchObject({ code: 0, stdout: expect.stringContaining('ops has taken the test') });
  expect((await run('alerts', 'deliveries')).stdout).toMatch(/ ops +sent +1 +a test$/m);
  expect(await json('alerts', 'deliveries', '--receiver', 'pager')).toEqual([]);
  expect((await run('alerts', 'inbox')).stderr).toContain('the inbox is empty');
  expect((await run('alerts', 'test', 'op')).stderr).toContain('did you mean ops?');
});

test('all that is wrong with the document of alerts is said at once', async () => {
  const rule = (name: string, when: object) => ({ name, when: { kind: 'suspicious', ...when } });
  const document = {
    rules: [rule('one', { logHas: '(' }), rule('two', { output: '$.[' })],
    receivers: { ops: { type: 'inbox' } },
    routes: [
      { receivers: ['ops'], hours: { timeZone: 'UTC', from: '09:00', to: '17:00', exclude: ['no-such-calendar'] } },
    ],
  };
  const { stderr, code } = await runCli(['alerts', 'set', '-'], { env, input: JSON.stringify(document) });
  expect(stderr).toMatch(/rules\.0\.when\.logHas[\s\S]*rules\.1\.when\.output[\s\S]*no-such-calendar/);
  expect(code).toBe(2);
  const unread = await runCli(['alerts', 'set', '-'], { env, input: '{"rules": 1, "routs": []}' });
  expect(unread.stderr).toMatch(
    /rules: expected a list.*unknown key "routs", did you mean routes\? It takes rules, receivers, routes/s,
  );
});
