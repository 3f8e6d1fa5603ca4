export type { Json, RunInfo, ScheduleSpec } from '@escapement/core';
export { DAY, FatalError, HOUR, MINUTE, RetryAfter, SECOND, Skip } from '@escapement/core';
export { defineTask, isTaskModule, type TaskModule, type TaskOptions } from './define-task.ts';
export { checkPayload, PayloadError, type PayloadIssue } from './payload.ts';
export { runTask, type TaskRunContext } from './run-task.ts';
export { cron, every } from './schedule.ts';
export type { SchemaInput, SchemaIssue, SchemaOutput, SchemaResult, StandardSchema } from './standard-schema.ts';
export type { LogFields, TaskContext, TaskLog } from './task-context.ts';
export {
  type Estimate,
  type TimeboxAlgorithm,
  type TimeboxOperator,
  type TimeboxOptions,
  type TimeboxResult,
  type TimeboxTurn,
  timebox,
} from './timebox/index.ts';
