// For programs that start tasks and wait for their results.

export { type Client, type ClientOptions, createClient, type TriggerableTask } from './client.ts';
export { RunFailed, type RunHandle, type WaitOptions } from './run-handle.ts';
