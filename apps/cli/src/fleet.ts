import { hostname } from 'node:os';
import { type AnswerOf, type Calls, callsInProcess, callsOverHttp } from '@escapement/api/calls';
import { getFreeze, getMe, listSchedulers, type waitForRun } from '@escapement/api/routes';
import { createSend } from '@escapement/client/http';
import { EscapementError, MAX_PRINCIPAL_NAME } from '@escapement/core';
import type { Database } from '@escapement/store';
import { type ApiServer, apiServer } from './access/api-server.ts';
import { type Acting, type Context, configOf, connectDatabase, printState, requireMigrations } from './context.ts';
import { frozenWords } from './output/frozen.ts';

export type { Calls };

/** A run, as whoever asks may see it. */
export type SeenRun = AnswerOf<typeof waitForRun>;

/** The API that is asked; undefined: the database is. Throws `bad_configuration`, `no_api_token`, `bad_token`, `bad_login_file`. */
export function serverOf(context: Context): ApiServer | undefined {
  return apiServer(configOf(context), context.env);
}

/**
 * Gives `use` the routes of the API: at the server that ESCAPEMENT_URL or `escapement login` names, else carried out here, on the database.
 * The routes ask for rights. Throws what `withDatabase` throws, `no_api_token`, `api_unreachable`, `other_namespace`, or what
 * `use` throws.
 */
export async function withFleet<Result>(context: Context, use: (fleet: Calls) => Promise<Result>): Promise<Result> {
  const server = serverOf(context);
  if (server) return await atServer(server, context, use);
  return await connectDatabase(context, async (db, by) => {
    await requireMigrations(db);
    await printState(db, context.output);
    return await use(onDatabase(db, by, context));
  });
}

async function atServer<Result>(
  { url, token }: ApiServer,
  { env, output }: Context,
  use: (fleet: Calls) => Promise<Result>,
): Promise<Result> {
  const fleet = callsOverHttp(createSend({ url, token }));
  await requireNamespace(fleet, url, env.ESCAPEMENT_NAMESPACE);
  const { freeze } = await fleet.call(getFreeze, {});
  if (freeze) output.note(frozenWords(freeze));
  return await use(fleet);
}

/** A server has one namespace. Throws `other_namespace` for who means another. */
async function requireNamespace(fleet: Calls, url: string, meant: string | undefined): Promise<void> {
  if (!meant) return;
  const { namespace } = await fleet.call(getMe, {});
  if (namespace === meant) return;
  throw new EscapementError('other_namespace', `the API at ${url} is that of namespace ${namespace}, not of ${meant}`, {
    fix: `ask the API of ${meant}, or leave out ESCAPEMENT_NAMESPACE`,
  });
}

/** So many items are asked for at once. */
const PAGE = 1000;

/** Items of a list, page by page, as many as there are up to `limit`. */
export async function pagedItems<Item>(
  limit: number,
  ask: (page: { after: string | undefined; limit: number }) => Promise<{ items: Item[]; next: string | null }>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await ask({ after, limit: Math.min(PAGE, limit - all.length) });
    all.push(...items);
    if (next === null || all.length >= limit) return all;
    after = next;
  }
}

/** Whether a scheduler is alive; undefined: whoever asks may not know. */
export async function schedulersAlive(fleet: Calls): Promise<boolean | undefined> {
  try {
    return (await fleet.call(listSchedulers, {})).items.length > 0;
  } catch (error) {
    if (error instanceof EscapementError && error.code === 'not_allowed') return undefined;
    throw error;
  }
}

/** The same on a database that is open. */
export function onDatabase(db: Database, by: Acting, context: Context): Calls {
  const { leaseMs: deadMs, egress, traceUrl, apiUrl, notifyEmail, notifyWebhook, ...config } = configOf(context);
  const { maxClockOffsetMs, allowEviction } = config;
  return callsInProcess({
    ...{ db, clock: context.clock, deadMs, egress, traceUrl, apiUrl },
    ...{ maxClockOffsetMs, allowEviction },
    defaults: { email: notifyEmail ?? [], webhook: notifyWebhook ?? [] },
    by: (reason) => by(reason ?? undefined),
    address: hostname().slice(0, MAX_PRINCIPAL_NAME),
  });
}
