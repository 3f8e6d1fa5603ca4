export { type Fire, type FiresOptions, fires } from './fires.ts';
export type { JsonOf } from './json-of.ts';
export type { FannedOut, TestChild } from './test-calls.ts';
export { type TestResult, type TestRun, type TestTaskOptions, testTask } from './test-task.ts';
