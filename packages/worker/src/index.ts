// What a worker does: take a job, begin its run, call the handler, finish the run.

export { type CodeSync, type CodeSyncOptions, createCodeSync } from './code-sync.ts';
export * from './worker.ts';
