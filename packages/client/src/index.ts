// For programs that start tasks and wait for their results.

export type { CallersClient } from '@escapement/store';
export { type Client, type ClientOptions, createClient, type TriggerableTask, type TriggerOptions } from './client.ts';
export { RunFailed, type RunHandle, type WaitOptions } from './run-handle.ts';
