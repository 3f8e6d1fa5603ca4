import { actionOf, type By, type Json, type TaskInput } from '@escapement/core';
import {
  createToken,
  createUser,
  deleteUser,
  principalOfToken,
  principalOfUser,
  saveTask,
} from '@escapement/operations';
import { readAuditLog, revokeToken } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { batchFleet, fanOut } from './batch-fleet.ts';

// A handler may make up names of tasks while it runs. What it starts is started by the rights of who saved its task.

const fleet = await batchFleet();
const { db } = fleet;
const chained: string[] = [];
await fleet.startWorker();
await fleet.define({ name: 'mail', labels: { team: 'mail' } }, ({ payload }) => void chained.push(String(payload)));
await fleet.define({ name: 'own', labels: { team: 'shop' } });

async function tokenOf(name: string, scope?: string): Promise<By> {
  const { token } = await createToken(db, { name, role: 'editor', scope }, by('root'));
  const { principal, grants } = await principalOfToken(db, token, null);
  return { ...actionOf(principal), grants };
}

/** A task of the shop that fans out into the named one, saved by somebody; how its run ends. */
async function fansOut(name: string, who: By, into: { task: string; join?: string }) {
  const input: TaskInput = { name, labels: { team: 'shop' }, handler: { type: 'code', name } };
  let error: { code?: unknown; message: string } | undefined;
  await fleet.define(input, async (context) => {
    await fanOut(context, into, [name]).catch((thrown) => {
      error = thrown;
    });
    return undefined;
  });
  await saveTask(db, input, { source: 'cli', by: who });
  await fleet.runToEnd(name);
  return error;
}

/** The same with `ctx.chain`: the run's state and what it says. */
async function chains(name: string, who: By, task: string) {
  const input: TaskInput = { name, labels: { team: 'shop' }, handler: { type: 'code', name } };
  await fleet.define(input, () => undefined);
  fleet.effects.set(name, { chain: [{ task, payload: name satisfies Json }] });
  await saveTask(db, input, { source: 'cli', by: who });
  const id = await fleet.runToEnd(name);
  const { rows } = await db.pool.query('SELECT state, error FROM run WHERE id = $1', [id]);
  return rows[0] as { state: string; error: { message: string } | null };
}

test('a token that may not start a task has no run of its own tasks start it, by whatever name it makes up', async () => {
  const shop = await tokenOf('shop', 'team=shop');
  const refusal = 'token shop has not the right "trigger" on task mail: its grants are for tasks with team=shop';
  expect(await chains('chains-mail', shop, 'mail')).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining(refusal) },
  });
  expect(await fansOut('fans-mail', shop, { task: 'mail' })).toMatchObject({ code: 'not_allowed' });
  expect(await fansOut('joins-mail', shop, { task: 'own', join: 'mail' })).toMatchObject({ code: 'not_allowed' });
  expect((await chains('chains-own', shop, 'own')).state).toBe('succeeded');
  expect(await fansOut('fans-own', shop, { task: 'own' })).toBeUndefined();
  const { rows } = await db.pool.query(`SELECT FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = 'mail'`);
  expect(rows).toEqual([]);
  const refused = await readAuditLog(db, { principal: 'shop', refused: true, limit: 9 });
  expect(refused.map(({ action, subject }) => `${action} ${subject}`)).toContain('trigger task:mail');
  expect(refused[0]?.reason).toMatch(/^run [0-9a-f-]+ of chains-mail$/);
});

test('what it is granted at that time counts: nothing, once it was revoked', async () => {
  const all = await tokenOf('all');
  expect((await chains('of-all', all, 'own')).state).toBe('succeeded');
  await revokeToken(db, all.principal.id, by('root'));
  const id = await fleet.runToEnd('of-all');
  const { rows } = await db.pool.query('SELECT state, error FROM run WHERE id = $1', [id]);
  expect(rows).toMatchObject([{ state: 'failed', error: { message: expect.stringContaining('nothing is granted') } }]);
});

test('who saves it once more, unchanged, starts by their own rights', async () => {
  const again = await tokenOf('again');
  expect((await chains('of-all', again, 'own')).state).toBe('succeeded');
  const input: TaskInput = { name: 'of-all', labels: { team: 'shop' }, handler: { type: 'code', name: 'of-all' } };
  expect(await saveTask(db, input, { source: 'cli', by: again })).toMatchObject({ kind: 'unchanged' });
});

test('a token that has expired has not lost what it was granted', async () => {
  const expires = await tokenOf('expires');
  await db.pool.query(`UPDATE access_token SET expires_at = now() - interval '1 day' WHERE name = 'expires'`);
  expect((await chains('of-expired', expires, 'own')).state).toBe('succeeded');
});

test('a user is asked as a token is, and may start nothing once they are deleted', async () => {
  const password = 'correct horse battery';
  await createUser(db, { name: 'ann', password, role: 'editor', scope: 'team=shop' }, by('root'));
  const { principal, grants } = await principalOfUser(db, { name: 'ann', password }, null);
  const ann = { ...actionOf(principal), grants };
  expect((await chains('of-ann', ann, 'own')).state).toBe('succeeded');
  expect((await chains('of-ann-mail', ann, 'mail')).error?.message).toContain('user ann has not the right "trigger"');
  await deleteUser(db, 'ann', by('root'));
  const id = await fleet.runToEnd('of-ann');
  expect((await db.pool.query('SELECT state FROM run WHERE id = $1', [id])).rows).toEqual([{ state: 'failed' }]);
});
