import { deleteTask, saveTask, triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, overHttp, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const as =
  (token: string) =>
  (...args: string[]) =>
    runCli(args, { env: { ...env, ESCAPEMENT_TOKEN: token } });

for (const name of ['shop', 'mail'])
  await saveTask(
    db,
    {
      name,
      handler: { type: 'shell', command: 'true' },
      payload: { canary: `payload of ${name}` },
      labels: { team: name },
    },
    { source: 'cli', by: by('test') },
  );
const runs = {
  shop: await triggerTask(db, 'shop', { by: by('test'), payload: { canary: 1 } }),
  mail: await triggerTask(db, 'mail', { by: by('test') }),
};

async function token(name: string, ...options: string[]): Promise<string> {
  const { code, stdout } = await run('tokens', 'create', name, ...options);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^esc_\w{16}_[\w-]{43}\n$/)]);
  return stdout.trim();
}

test('a viewer sees runs and tasks without payloads, no logs, states or audit, and changes nothing', async () => {
  const viewer = as(await token('viewer', '--role', 'viewer'));
  for (const args of [
    ['runs', 'show', runs.shop],
    ['tasks', 'show', 'shop'],
    ['runs', 'list'],
    ['tasks', 'list'],
    ['tasks', 'history', 'shop'],
  ])
    for (const format of ['table', 'json']) {
      const { code, stdout } = await viewer(...args, '-o', format);
      expect([args, code, stdout]).toEqual([args, 0, expect.stringMatching(/shop|VERSION/)]);
      expect(stdout).not.toContain('canary');
    }
  for (const [what, ...args] of [
    [`run ${runs.shop} of task shop`, 'runs', 'logs', runs.shop],
    ['task shop', 'tasks', 'state', 'show', 'shop'],
    ['all of the namespace default', 'audit', 'log'],
    ['all of the namespace default', 'lists', 'show', 'numbers'],
  ]) {
    const { code, stderr } = await viewer(...args);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`token viewer has not the right "read-payload" on ${what}: it is granted viewer there`),
    ]);
  }
  expect((await viewer('tasks', 'pause', 'shop')).stderr).toContain('"pause" on task shop');
  expect((await viewer('tokens', 'list')).stderr).toContain('"access"');
  expect((await viewer('users', 'create', 'eve', '--role', 'admin')).stderr).toContain('"access"');
  expect((await viewer('migrate')).stderr).toContain('no token may change the schema');
  const reader = as(await token('reader', '--role', 'viewer', '--rights', 'read-payload'));
  expect((await reader('runs', 'show', runs.shop)).stdout).toContain('canary');
  expect(await reader('runs', 'logs', runs.shop)).toMatchObject({ code: 0 });
});

test('who may operate some tasks sees and triggers those, without their logs, and edits none', async () => {
  const operator = as(await token('shop-operator', '--role', 'operator', '--scope', 'team=shop'));
  expect(await operator('tasks', 'trigger', 'shop')).toMatchObject({ code: 0 });
  expect((await operator('tasks', 'trigger', 'shop', '--wait')).stderr).toMatch(
    /"read-payload" on (run \S+ of )?task shop/,
  );
  expect(await operator('runs', 'list', '--task', 'shop')).toMatchObject({ code: 0 });
  expect((await operator('tasks', 'list', '-l', 'team=shop')).stdout).toMatch(/^shop /m);
  expect((await operator('tasks', 'stats', '-l', 'team=shop')).stdout).not.toContain('mail');
  expect((await operator('tasks', 'stats', '-l', 'team=shop|mail')).stderr).toContain('"read" on task mail');
  expect((await operator('tasks', 'trigger', 'mail')).stderr).toContain('its grants are for tasks with team=shop');
  expect((await operator('runs', 'show', runs.mail)).stderr).toContain(`"read" on run ${runs.mail} of task mail`);
  expect((await operator('pools', 'list')).stderr).toContain('"read" on all of the namespace');
  expect((await operator('tasks', 'edit', 'shop', '--set', 'timeoutMs=1000')).stderr).toContain('"edit" on task shop');
  const audit = JSON.parse((await run('audit', 'log', '--by', 'shop-operator', '--refused', '-o', 'json')).stdout);
  expect(
    audit.map(({ action, detail, subject }: { action: string; detail: { right: string }; subject: string }) => [
      action,
      detail.right,
      subject,
    ]),
  ).toEqual([
    ['look', 'read-payload', expect.stringMatching(/^(task:shop|run:)/)],
    ['look', 'read', 'namespace:default'],
    ['trigger', 'trigger', 'task:mail'],
    ['look', 'read', `run:${runs.mail}`],
    ['look', 'read', 'namespace:default'],
    // A route is asked for what it would write; the command on the database looks at the task first.
    [overHttp ? 'save' : 'look', 'edit', 'task:shop'],
  ]);
});

test('a token for some tasks gets lists of these and their runs, and of no others', async () => {
  const seen = async (who: ReturnType<typeof as>, ...args: string[]) => {
    const { code, stdout } = await who(...args, '-o', 'json');
    expect([args, code, stdout.includes('mail')]).toEqual([args, 0, false]);
    return JSON.parse(stdout).map((each: { name?: string; taskName?: string }) => each.name ?? each.taskName);
  };
  const shop = as(await token('shop-viewer', '--role', 'viewer', '--scope', 'team=shop|nobody'));
  expect(await seen(shop, 'tasks', 'list')).toEqual(['shop']);
  expect(await seen(shop, 'runs', 'list')).toEqual(expect.arrayContaining(['shop']));
  // The latest run of all is not its own: what it may not see takes no place in the list.
  await triggerTask(db, 'mail', { by: by('test') });
  expect(await seen(shop, 'runs', 'list', '--limit', '1')).toEqual(['shop']);
  expect(await seen(shop, 'tasks', 'list', '-l', 'team=shop|mail')).toEqual(['shop']);
  expect(await seen(shop, 'runs', 'list', '-l', 'team=mail')).toEqual([]);
  const nobody = as(await token('nobodys', '--role', 'viewer', '--scope', 'team=nobody'));
  for (const list of ['tasks', 'runs']) expect(await seen(nobody, list, 'list')).toEqual([]);
  const both = as(await token('both', '--role', 'viewer'));
  expect(JSON.parse((await both('tasks', 'list', '-o', 'json')).stdout)).toHaveLength(2);
  await saveTask(
    db,
    { name: 'shop-late', handler: { type: 'shell', command: 'true' }, labels: { team: 'shop' } },
    { source: 'cli', by: by('test') },
  );
  const late = await triggerTask(db, 'shop-late', { by: by('test') });
  await deleteTask(db, 'shop-late', by('test'));
  expect((await shop('runs', 'list')).stdout).toContain(late);
});

test('a token for some tasks gets the alerts of these, and of no others', async () => {
  const alert = async (name: string | null) => {
    const { rows } = await db.pool.query<{ id: bigint }>(
      `INSERT INTO alert (namespace, rule, kind, severity, subject, task_id, labels, state, summary, why, runs, since, last_at, fire_at)
       SELECT 'default', 'failed', 'failed', 'critical', coalesce('task:' || t.id, 'fleet'), t.id, '{}', 'firing', coalesce($1, 'fleet') || ' failed', '[]', '[]',
         now(), now(), now() FROM (SELECT 1) one LEFT JOIN task t ON t.name = $1 RETURNING id`,
      [name],
    );
    return String(rows[0]?.id);
  };
  const [shop, mail] = [await alert('shop'), await alert('mail')];
  await alert(null);
  const viewer = as(await token('shop-alerts', '--role', 'viewer', '--scope', 'team=shop'));
  const summaries = async (...args: string[]) =>
    JSON.parse((await viewer('alerts', 'list', ...args, '-o', 'json')).stdout).map(
      ({ summary }: { summary: string }) => summary,
    );
  expect(await summaries()).toEqual(['shop failed']);
  expect(await summaries('-l', 'team=mail')).toEqual([]);
  expect((await viewer('alerts', 'show', shop)).stdout).toContain('shop failed');
  expect(await viewer('alerts', 'show', mail)).toMatchObject({ code: 2, stdout: '' });
  expect(JSON.parse((await run('alerts', 'list', '-o', 'json')).stdout)).toHaveLength(3);
});

test('a token of another namespace, a revoked one and one that is none are refused before anything is looked at', async () => {
  const admin = await token('admin', '--role', 'admin', '--expires', 'never');
  const elsewhere = { ...env, ESCAPEMENT_TOKEN: admin, ESCAPEMENT_NAMESPACE: 'other' };
  // An API is of one namespace: who means another one is told so.
  const why = overHttp ? 'not of other' : 'the token is none of this namespace';
  expect(await runCli(['tasks', 'list'], { env: elsewhere })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(why),
  });
  expect((await as(admin)('tasks', 'list')).code).toBe(0);
  const listed = JSON.parse((await run('tokens', 'list', '-o', 'json')).stdout);
  const { id } = listed.find(({ name }: { name: string }) => name === 'admin');
  expect(JSON.stringify(listed)).not.toContain('hash');
  expect((await run('tokens', 'list')).stdout).toMatch(/ admin +admin +- +everything +in use for ever /);
  expect((await as(admin)('tokens', 'revoke', id)).code).toBe(0);
  expect((await as(admin)('tasks', 'list')).stderr).toContain('the token "admin" was revoked');
  const odd = await as('hunter22')('tasks', 'list');
  expect(odd.stderr).toContain('ESCAPEMENT_TOKEN is "***"');
  for (const empty of ['', ' ', '\n'])
    expect(await as(empty)('tasks', 'pause', 'shop')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ESCAPEMENT_TOKEN is set, and empty'),
    });
  expect((await as(admin)('config')).stdout).not.toContain(admin);
});

test('users are made with a password that is shown once, or read', async () => {
  const made = await run('users', 'create', 'ann', '--role', 'editor', '--rights', 'shell,webhooks');
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w-]{27}\n$/) });
  const options = { env, input: 'correct horse\n' };
  expect(await runCli(['users', 'password', 'ann', '--password-stdin'], options)).toMatchObject({
    code: 0,
    stdout: 'ann\n',
  });
  const short = { env, input: 'hunter22' };
  for (const args of [
    ['users', 'password', 'ann'],
    ['users', 'create', 'cleo', '--role', 'viewer'],
  ]) {
    const refused = await runCli([...args, '--password-stdin'], short);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('the password has 8 characters')]);
    expect(refused.stderr).not.toContain('hunter22');
  }
  expect((await run('users', 'list')).stdout).toMatch(/^ann +editor +shell, webhooks +everything /m);
  expect((await run('users', 'create', 'bob', '--role', 'root')).code).toBe(2);
  expect((await run('users', 'create', 'bob', '--role', 'viewer', '--rights', 'shel')).stderr).toContain(
    'did you mean shell?',
  );
  expect(await run('users', 'delete', 'ann')).toMatchObject({ code: 0 });
});

test('a user is given another role, and the audit has both', async () => {
  await run('users', 'create', 'gail', '--role', 'viewer');
  const granted = await run(
    'users',
    'grant',
    'gail',
    '--role',
    'operator',
    '--rights',
    'read-payload',
    '--scope',
    'team=shop',
  );
  expect(granted).toMatchObject({ code: 0, stdout: 'the user "gail" has: operator, read-payload, on team=shop\n' });
  expect((await run('users', 'list')).stdout).toMatch(/^gail +operator +read-payload +team=shop /m);
  await run('users', 'grant', 'gail', '--role', 'operator', '--rights', 'read-payload', '--scope', 'team=shop');
  const { rows } = await db.pool.query(
    `SELECT before, after FROM audit WHERE subject = 'user:gail' AND action = 'grant'`,
  );
  expect(rows).toEqual([
    {
      before: { role: 'viewer', rights: [], scope: null },
      after: { role: 'operator', rights: ['read-payload'], scope: 'team=shop' },
    },
  ]);
  expect((await run('users', 'grant', 'nobody', '--role', 'viewer')).stderr).toContain('there is no user "nobody"');
});

test('a user is disabled and enabled, and the list says how each signs in', async () => {
  await run('users', 'create', 'dora', '--role', 'viewer');
  const listed = async () => (await run('users', 'list')).stdout;
  expect(await listed()).toMatch(/^dora .* by a password of \S+/m);
  expect(await run('users', 'disable', 'dora')).toMatchObject({ code: 0, stdout: 'the user "dora" is disabled\n' });
  expect(await listed()).toMatch(/^dora .* no: disabled$/m);
  expect(await run('users', 'enable', 'dora')).toMatchObject({
    code: 0,
    stdout: 'the user "dora" may sign in again\n',
  });
  expect(await listed()).toMatch(/^dora .* by a password of \S+/m);
  for (const verb of ['disable', 'enable'])
    expect((await run('users', verb, 'nobody')).stderr).toContain('there is no user "nobody"');
  await db.pool.query(
    `INSERT INTO access_user (namespace, name, oidc_issuer, oidc_subject, role, created_by) VALUES ($1, 'eve', 'https://id.example', 's', 'viewer', 'eve')`,
    [db.namespace],
  );
  expect(await listed()).toMatch(/^eve .* at https:\/\/id\.example$/m);
  expect((await run('users', 'grant', 'eve', '--role', 'admin')).stderr).toContain('whose groups say the role');
  expect((await run('users', 'password', 'eve')).stderr).toContain(
    'signs in at https://id.example, and has no password',
  );
});
