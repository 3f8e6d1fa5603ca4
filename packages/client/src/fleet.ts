import type { Json } from '@escapement/core';
import type { CallersClient, RunView } from '@escapement/store';

/** What a caller asks of a task, its payload checked. */
export interface Triggering {
  task: string;
  payload: Json | undefined;
  at: Date | undefined;
  key: string | undefined;
  worker: string | undefined;
  traceparent: string | undefined;
  idempotencyKey: string | undefined;
  /** Refuse a task of which there would be several runs. */
  single: boolean;
}

/** A fleet, as a client has to do with it: over Postgres, or over the HTTP API. */
export interface Fleet {
  /** The ids of the runs, in the order of their workers. */
  trigger(asked: Triggering): Promise<string[]>;
  /** Throws `needs_database` where there is no way into a transaction. */
  triggerIn(transaction: CallersClient, asked: Triggering): Promise<string>;
  /** The run now. Throws `unknown_run`, and the reason of the signal. */
  look(id: string, signal?: AbortSignal): Promise<RunView>;
  /** The run, some time later, or once it has ended. Throws `unknown_run`, and the reason of the signal. */
  lookLater(id: string, signal: AbortSignal | undefined): Promise<RunView>;
  /** False: it had ended. Throws `unknown_run`. */
  cancel(id: string, reason: string | undefined): Promise<boolean>;
  close(): Promise<void>;
}
