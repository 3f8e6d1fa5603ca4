export { type Fire, type FiresOptions, fires } from './fires.ts';
export type { JsonOf } from './json-of.ts';
export { type TestResult, type TestRun, type TestTaskOptions, testTask } from './test-task.ts';
