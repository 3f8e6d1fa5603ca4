// For programs that start tasks and wait for their results.

export type { CallersClient } from '@escapement/store';
export {
  type Client,
  type ClientOptions,
  createClient,
  type TriggerableTask,
  type TriggerOnceOptions,
  type TriggerOptions,
} from './client.ts';
export { ApiError } from './http/refusal.ts';
export type { HttpOptions } from './http/send.ts';
export type { PostgresOptions } from './over-postgres.ts';
export { RunFailed, type RunHandle, type WaitOptions } from './run-handle.ts';
