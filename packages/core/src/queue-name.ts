import { createHash } from 'node:crypto';

/**
 * What a run asks of its worker beside the pool, from its task's handler: `shell`; `code.` and a hash of the application whose code it is;
 * `code` alone where no application is known to have it. Null: nothing, as for a request over HTTP. Of a task with `runOn`, each run's
 * ends in the worker that it belongs to: see `needOn`.
 */
export type Need = string | null;

/** A shell, and the right to use it. */
export const SHELL_NEED = 'shell';

/** Code of which no application is known to have it. */
export const CODE_NEED = 'code';

/** The code of an application. The SQL function need_of says the same. */
export function codeNeed(app: string): string {
  return `${CODE_NEED}.${createHash('md5').update(app).digest('hex').slice(0, 12)}`;
}

/** Whether a worker has to have code for it. */
export function needsCode(need: Need): boolean {
  const { ability } = splitNeed(need);
  return ability === CODE_NEED || (ability?.startsWith(`${CODE_NEED}.`) ?? false);
}

/**
 * The queue of runs of a pool with one need: `default`, `default+shell`. A pool's name has neither `+` nor `#`; after a `#` there is
 * room for the number of a shard. The SQL function queue_of says the same.
 */
export function queueName(pool: string, need: Need): string {
  return need === null ? pool : `${pool}+${need}`;
}

export function parseQueue(queue: string): { pool: string; need: Need } {
  const at = queue.indexOf('+');
  return at < 0 ? { pool: queue, need: null } : { pool: queue.slice(0, at), need: queue.slice(at + 1) };
}

/** Between what a run asks of its worker and the name of the worker that it belongs to: `shell@web-1`, `@web-1`. */
const OF_WORKER = '@';

/** A need that one worker alone meets. The SQL function need_on says the same. */
export function needOn(need: Need, worker: string): string {
  return `${need ?? ''}${OF_WORKER}${worker}`;
}

/** What a run asks of any worker, and the worker that it belongs to; null: to none. The SQL function worker_of says the latter. */
export function splitNeed(need: Need): { ability: Need; worker: string | null } {
  const at = need?.indexOf(OF_WORKER) ?? -1;
  if (need === null || at < 0) return { ability: need, worker: null };
  return { ability: need.slice(0, at) || null, worker: need.slice(at + 1) };
}

/** What a worker offers that has this name and these abilities: the runs that belong to it, too. */
export function offersUnder(name: string, abilities: readonly string[]): string[] {
  return [...abilities, ...[null, ...abilities].map((ability) => needOn(ability, name))];
}

/** All queues that a worker of these pools can serve, which offers this. */
export function queuesOf(pools: readonly string[], offers: readonly string[]): string[] {
  return pools.flatMap((pool) => [null, ...offers].map((need) => queueName(pool, need)));
}

/** A worker's ability that a run asks for, behind the word "worker". */
export function needWords(need: Need): string {
  if (splitNeed(need).ability === null) return '';
  return needsCode(need) ? ' with its code' : ' that may use the shell';
}
