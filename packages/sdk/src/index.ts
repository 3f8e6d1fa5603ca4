// For authors of tasks: `defineTask`, schedules, errors, and the types of `ctx`.

export type { BatchProgress, JoinPayload, Json, PreviousRun, RunInfo, RunRecord } from '@escapement/core';
export { DAY, FatalError, HOUR, MINUTE, RetryAfter, SECOND, Skip } from '@escapement/core';
export type { ScheduleSpec } from '@escapement/core/schedule';
export { defineConfig, type ProjectConfig } from './define-config.ts';
export {
  type AnyPayload,
  defineTask,
  isTaskModule,
  type LifecycleOptions,
  type NoState,
  type StateOptions,
  type TaskModule,
  type TaskOptions,
  type ThenOption,
} from './define-task.ts';
export type { Batch, BatchResult } from './fan-out/batch.ts';
export type { FanOutOptions } from './fan-out/fan-out.ts';
export type { WorkList } from './lists/lists.ts';
export { runTask, type TaskRunContext } from './run-task.ts';
export { cron, every } from './schedule.ts';
export { checkPayload, SchemaError, type SchemaUse, type ValueIssue } from './schema-check.ts';
export type { SchemaInput, SchemaIssue, SchemaOutput, SchemaResult, StandardSchema } from './standard-schema.ts';
export type { LogFields, TaskContext, TaskLog } from './task-context.ts';
export type { FanOutTask, NamedTask, TaskRef } from './task-ref.ts';
export {
  type Estimate,
  type RunTimeboxOptions,
  type TimeboxAlgorithm,
  type TimeboxOperator,
  type TimeboxOptions,
  type TimeboxResult,
  type TimeboxTurn,
  timebox,
} from './timebox/index.ts';
