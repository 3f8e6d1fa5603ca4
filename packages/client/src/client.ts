import { admitJson, type Json, jsonOf } from '@escapement/core';
import { formatTraceparent } from '@escapement/core/traces';
import { checkPayload, type StandardSchema } from '@escapement/sdk';
import type { CallersClient } from '@escapement/store';
import { context, isSpanContextValid, TraceFlags, trace } from '@opentelemetry/api';
import type { HttpOptions } from './http/send.ts';
import { overHttp } from './over-http.ts';
import { overPostgres, type PostgresOptions } from './over-postgres.ts';
import { type RunHandle, runHandle } from './run-handle.ts';

/** Where the fleet is reached: at its Postgres, or at its HTTP API. */
export type ClientOptions = PostgresOptions | HttpOptions;

/** A task as `defineTask` returns it, as far as its callers need it. */
export interface TriggerableTask<Input, Output> {
  readonly name: string;
  readonly payload: StandardSchema<Input, unknown> | undefined;
  run(payload: never, context: never): Output | Promise<Output>;
}

export interface TriggerOptions {
  /** When the run is due, at most 366 days ahead. Default: now. */
  at?: Date;
  /**
   * The mutual-exclusion key of this run, instead of that of its task: a template as a task has it (`customer:{{payload.customer}}`), 1 to 512
   * characters. A rerun keeps it. Throws `bad_key_template`, `unknown_key_field`, `key_too_long`. Default: the task's.
   */
  key?: string;
  /** Of a task that runs on every worker (`runOn`): only on the worker of this name. Throws `unknown_worker`, `not_on_every_worker`. */
  worker?: string;
  /**
   * The span that the run continues, as the header `traceparent` of W3C Trace Context has it. Default: the active span of
   * OpenTelemetry, if this program has one; else its trace begins with the run. Throws `bad_traceparent`.
   */
  traceparent?: string;
}

export interface TriggerOnceOptions extends TriggerOptions {
  /**
   * With the same key the same run is given for a day, and no other one is made: 1 to 255 visible characters of ASCII. Throws
   * `bad_idempotency_key`, and `idempotency_key_reused` where something else was asked for with it. Default: over HTTP one of the call's own, so that a lost answer
   * makes no second run; over Postgres none.
   */
  idempotencyKey?: string;
}

/** Starts runs and waits for them, from any program that reaches the fleet's Postgres or its HTTP API. */
export interface Client {
  /**
   * Starts a run of a task, now. A task that is given as itself has its payload checked, by the compiler and before
   * anything is written. Without a payload the run has the task's own. Throws `PayloadError`, `unknown_task`, `not_json`.
   */
  trigger<Input, Output>(
    task: TriggerableTask<Input, Output>,
    payload?: Input,
    options?: TriggerOnceOptions,
  ): Promise<RunHandle<Awaited<Output>>>;
  trigger(task: string, payload?: Json, options?: TriggerOnceOptions): Promise<RunHandle<Json | undefined>>;
  /**
   * The same as a part of a transaction of yours, on a connection to the same database: the run is there once you commit, and
   * never if you roll back. Look at the handle after the commit only. Whatever is thrown leaves the transaction as it was: also
   * `no_transaction`, `other_database`, and `database_rights` where the connection's user may not write into the ledger. A client over
   * HTTP has no way into a transaction: it throws `needs_database`.
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
   * Starts a task that runs on every worker (`runOn`), on each: a handle for each run, by the names of the workers. Throws what `trigger`
   * throws, and `no_workers`. Of another task: one handle.
   */
  triggerEach<Input, Output>(
    task: TriggerableTask<Input, Output>,
    payload?: Input,
    options?: TriggerOnceOptions,
  ): Promise<RunHandle<Awaited<Output>>[]>;
  triggerEach(task: string, payload?: Json, options?: TriggerOnceOptions): Promise<RunHandle<Json | undefined>[]>;
  /** The handle of a run that somebody started. */
  run(id: string): RunHandle<Json | undefined>;
  /** Ends the connections. */
  close(): Promise<void>;
}

function activeTraceparent(): string | undefined {
  const span = trace.getSpanContext(context.active());
  if (!span || !isSpanContextValid(span)) return undefined;
  const { traceId, spanId, traceFlags } = span;
  return formatTraceparent({ traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
}

/** Undefined: that of the task. Throws `not_json` for what JSON leaves out, such as a function. */
function payloadOf(payload: unknown): Json | undefined {
  const json = jsonOf(payload, 'the payload');
  return json === undefined && payload !== undefined ? admitJson(payload, 'the payload') : json;
}

/** Connects on first use. Throws `bad_api_url`, `no_api_token`. */
export function createClient(options: ClientOptions): Client {
  const fleet = 'databaseUrl' in options ? overPostgres(options) : overHttp(options);
  type Task = string | TriggerableTask<unknown, unknown>;

  async function asked(task: Task, payload: unknown, options: TriggerOnceOptions, single: boolean) {
    const name = typeof task === 'string' ? task : task.name;
    if (typeof task !== 'string' && task.payload && payload !== undefined)
      await checkPayload(name, task.payload, payload);
    const json = payloadOf(payload);
    const { at, key, worker, traceparent = activeTraceparent(), idempotencyKey } = options;
    return { task: name, payload: json, at, key, worker, traceparent, idempotencyKey, single };
  }

  return {
    async trigger(task: Task, payload?: unknown, options: TriggerOnceOptions = {}) {
      const [id = ''] = await fleet.trigger(await asked(task, payload, options, true));
      return runHandle<never>(fleet, id);
    },
    async triggerIn(within: CallersClient, task: Task, payload?: unknown, options: TriggerOptions = {}) {
      return runHandle<never>(fleet, await fleet.triggerIn(within, await asked(task, payload, options, true)));
    },
    async triggerEach(task: Task, payload?: unknown, options: TriggerOnceOptions = {}) {
      const ids = await fleet.trigger(await asked(task, payload, options, false));
      return ids.map((id) => runHandle<never>(fleet, id));
    },
    run: (id) => runHandle(fleet, id),
    close: () => fleet.close(),
  };
}
