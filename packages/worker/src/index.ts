// What a worker does: take a job, begin its run, call the handler, finish the run.

export { type CodeSync, type CodeSyncOptions, createCodeSync } from './code-sync.ts';
export type { ExecuteDeps } from './execute/execute-deps.ts';
export { executeRun } from './execute/execute-run.ts';
export * from './worker.ts';
