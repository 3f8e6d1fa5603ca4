import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newRunId } from '@escapement/core';
import * as store from '../../src/index.ts';
import { ago, beginRequest, MINUTE, OCCURRENCE } from '../ledger.ts';
import { type Stage, WHO } from './stage.ts';

const SOURCE = join(import.meta.dirname, '../../src');
const CALL = String.raw`(?<![.\w]|function |override )(?:query|weekStatement)(?:<(?:[^<>()]|<[^<>]*>|\([^)]*\))*>)?\(\s*`;
/** Up to the name of the statement: behind the pool, or first. */
const NAMED = new RegExp(String.raw`${CALL}(?:(?:[\w.]+|db\[pool\]),\s*)?(?:'(\w*)'|${'`([^`]*)`'}|([^,]+)),`, 'g');

/** The names of the statements in the source, as patterns, and the files that name some by other means than a text. */
export function namesInSource(): { names: string[]; unread: string[] } {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const names = new Set<string>();
  const unread = new Set<string>();
  for (const file of files) {
    const code = readFileSync(join(SOURCE, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
    const calls = [...code.matchAll(NAMED)];
    if (calls.length < [...code.matchAll(new RegExp(CALL, 'g'))].length) unread.add(file);
    for (const [, name, template, expression = ''] of calls) {
      const either = [...expression.matchAll(/[?:] '(\w+)'/g)].map(([, one = '']) => one);
      if (expression !== '' && either.length === 0) unread.add(file);
      for (const each of [name ?? template?.replaceAll(/\$\{[^}]*\}/g, '\\w+') ?? '', ...either]) names.add(each);
    }
  }
  names.delete('');
  return { names: [...names], unread: [...unread] };
}

/** Carries out the statements that neither the tries nor what is about a whole namespace reaches. */
export async function carryOutOthers(stage: Stage): Promise<void> {
  const { db, failed, queued, task, waiting } = stage;
  await store.pingDatabase(db);
  await store.askForLife(db);
  await store.isNamespaceUsed(db);
  await store.namespacesWithTasks(db);
  await store.pruneSmallTables(db);
  await store.hasReplayed(db, await store.logPosition(db));
  await store.whyNotStandbyOf(db, db);
  await store.grantPartitions(db);
  await store.partitionsWithoutRights(db);
  await store.partitionedDaysAhead(db);
  await store.livingPrograms(db, { withinMs: MINUTE });
  await store.inspectRoles(db);
  // This role lacks them, so that the refusal names who asked.
  await db.pool.query('SET ROLE pg_monitor');
  await store.requireRights(db, 'scheduler').catch(() => undefined);
  await db.pool.query('RESET ROLE');
  for (const kind of ['jsonpath', 'regex'] as const) await store.expressionError(db, kind, 'x');
  // The second is one too many, and asks how long it has to wait.
  for (const _ of [1, 2])
    await store.countSignIn(db, { kind: 'name', bucket: 8 }, { now: ago(0), windowMs: MINUTE, most: 1 });
  await store.listRuns(db, { limit: 999 });
  await store.beginRuns(db, [{ ...beginRequest(queued), rated: true }]);
  const at = { id: newRunId(queued.scheduledFor), scheduledFor: queued.scheduledFor, dueAt: queued.scheduledFor };
  await store.planRuns(db, [], [{ ...OCCURRENCE, ...at, key: 'k', taskId: task.queued, worker: 'w' }]);
  await store.editTaskState(db, { taskId: task.queued, key: 'none', value: undefined, shape: 1, by: WHO });
  await store.wakeWaiting(db, [{ key: 'waiting', runId: waiting.runId, hasRoom: false, behind: true }]);
  await makeManyChildren(stage);
  await store.readRunTree(db, failed.runId);
  // Postgres cannot add to it, so the tasks are read one by one.
  await db.pool.query(`UPDATE task SET effective_at = '294276-12-31 23:30+00' WHERE id = $1`, [task.queued]);
  await db.pool.query(`UPDATE task_plan SET next_run_at = $2 WHERE task_id = $1`, [task.queued, queued.scheduledFor]);
  await store.dueTasks(db, { horizonMs: MINUTE, limit: 9 });
}

/** The failed run gets more children than a tree lists. */
async function makeManyChildren({ db, task, failed }: Stage): Promise<void> {
  const ids = Array.from({ length: 51 }, () => newRunId(failed.scheduledFor));
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at,
       started_at, finished_at, attempt, cause_run_id)
     SELECT c.id, $2, $3, $4, 1, 1, 'chain', 'succeeded', 'k', 1, 'allow', 'default', $2, $2, $2, 1, $5 FROM unnest($1::uuid[]) AS c(id)`,
    [ids, failed.scheduledFor, db.namespace, task.failed, failed.runId],
  );
}
