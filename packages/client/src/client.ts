import { hostname, userInfo } from 'node:os';
import { actOf, admitJson, formatTraceparent, type Json, type Principal, processPrincipal } from '@escapement/core';
import { triggerRuns, triggerTask } from '@escapement/operations';
import { checkPayload, type StandardSchema } from '@escapement/sdk';
import { type CallersClient, openDatabase } from '@escapement/store';
import { context, isSpanContextValid, TraceFlags, trace } from '@opentelemetry/api';
import { type RunHandle, runHandle } from './run-handle.ts';

export interface ClientOptions {
  /** postgres:// URL of the fleet. */
  databaseUrl: string;
  /** Default 'default'. */
  namespace?: string;
  /** Who starts and cancels runs, as ledger and audit record it: the name of this program or of whom it acts for. Default: user@host. */
  name?: string;
  /** Connections at most in each of two pools. Default 4. */
  connections?: number;
}

/** A task as `defineTask` returns it, as far as its callers need it. */
export interface TriggerableTask<Input, Output> {
  readonly name: string;
  readonly payload: StandardSchema<Input, unknown> | undefined;
  run(payload: never, context: never): Output | Promise<Output>;
}

export interface TriggerOptions {
  /** When the run is due, at most 366 days ahead. Default: now. */
  at?: Date;
  /** Of a task that runs on every worker (`spread`): only on the worker of this name. Throws `unknown_worker`, `not_spread`. */
  worker?: string;
  /**
   * The span that the run continues, as the header `traceparent` of W3C Trace Context has it. Default: the active span of
   * OpenTelemetry, if this program has one; else its trace begins with the run. Throws `bad_traceparent`.
   */
  traceparent?: string;
}

/** Starts runs and waits for them, from any program that reaches the fleet's Postgres. */
export interface Client {
  /**
   * Starts a run of a task, now. A task that is given as itself has its payload checked, by the compiler and before
   * anything is written. Without a payload the run has the task's own. Throws `PayloadError`, `unknown_task`, `not_json`.
   */
  trigger<Input, Output>(
    task: TriggerableTask<Input, Output>,
    payload?: Input,
    options?: TriggerOptions,
  ): Promise<RunHandle<Awaited<Output>>>;
  trigger(task: string, payload?: Json, options?: TriggerOptions): Promise<RunHandle<Json | undefined>>;
  /**
   * The same as a part of a transaction of yours, on a connection to the same database: the run is there once you commit, and
   * never if you roll back. Look at the handle after the commit only. Whatever is thrown leaves the transaction as it was: also
   * `no_transaction`, `other_database`, and `database_rights` where the connection's user may not write into the ledger.
   */
  triggerIn<Input, Output>(
    transaction: CallersClient,
    task: TriggerableTask<Input, Output>,
    payload?: Input,
    options?: TriggerOptions,
  ): Promise<RunHandle<Awaited<Output>>>;
  triggerIn(
    transaction: CallersClient,
    task: string,
    payload?: Json,
    options?: TriggerOptions,
  ): Promise<RunHandle<Json | undefined>>;
  /**
   * Starts a task that runs on every worker (`spread`), on each: a handle for each run, by the names of the workers. Throws what `trigger`
   * throws, and `no_workers`. Of another task: one handle.
   */
  triggerEach<Input, Output>(
    task: TriggerableTask<Input, Output>,
    payload?: Input,
    options?: TriggerOptions,
  ): Promise<RunHandle<Awaited<Output>>[]>;
  triggerEach(task: string, payload?: Json, options?: TriggerOptions): Promise<RunHandle<Json | undefined>[]>;
  /** The handle of a run that somebody started. */
  run(id: string): RunHandle<Json | undefined>;
  /** Ends the connections. */
  close(): Promise<void>;
}

function ownName(): string {
  return `${userInfo().username}@${hostname()}`;
}

function activeTraceparent(): string | undefined {
  const span = trace.getSpanContext(context.active());
  if (!span || !isSpanContextValid(span)) return undefined;
  const { traceId, spanId, traceFlags } = span;
  return formatTraceparent({ traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
}

/** Connects on first use. */
export function createClient(options: ClientOptions): Client {
  const { databaseUrl, namespace, connections, name = ownName() } = options;
  const principal: Principal = { ...processPrincipal(name, hostname()), id: ownName() };
  const db = openDatabase({
    url: databaseUrl,
    applicationName: 'escapement client',
    ...(namespace === undefined ? {} : { namespace }),
    connections,
  });

  async function asked(
    task: string | TriggerableTask<unknown, unknown>,
    payload: unknown,
    { at, worker, traceparent = activeTraceparent(), within }: TriggerOptions & { within?: CallersClient },
  ) {
    const taskName = typeof task === 'string' ? task : task.name;
    if (typeof task !== 'string' && task.payload && payload !== undefined)
      await checkPayload(taskName, task.payload, payload);
    const json = payload === undefined ? undefined : admitJson(JSON.parse(JSON.stringify(payload)), 'the payload');
    return [
      taskName,
      { by: actOf(principal), ...(json === undefined ? {} : { payload: json }), at, worker, traceparent, within },
    ] as const;
  }

  async function start(...given: Parameters<typeof asked>) {
    return runHandle<never>(db, await triggerTask(db, ...(await asked(...given))), principal);
  }

  return {
    trigger: (task: string | TriggerableTask<unknown, unknown>, payload?: unknown, options: TriggerOptions = {}) =>
      start(task, payload, options),
    triggerIn: (
      within: CallersClient,
      task: string | TriggerableTask<unknown, unknown>,
      payload?: unknown,
      options: TriggerOptions = {},
    ) => start(task, payload, { ...options, within }),
    async triggerEach(
      task: string | TriggerableTask<unknown, unknown>,
      payload?: unknown,
      options: TriggerOptions = {},
    ) {
      const runs = await triggerRuns(db, ...(await asked(task, payload, options)));
      return runs.map(({ id }) => runHandle<never>(db, id, principal));
    },
    run: (id) => runHandle(db, id, principal),
    close: () => db.close(),
  };
}
