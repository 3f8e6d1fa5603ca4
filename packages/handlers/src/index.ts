// How a run does its work: shell commands, HTTP requests, tasks in TypeScript.

export { type Account, type Accounts, ownAccount, sameAccount } from './account.ts';
export { appNameOf } from './code/app-name.ts';
export type { HandlerEvent, OnHandlerEvent } from './code/event.ts';
export type { DescribedTask, DescribedTasks, LoadOptions } from './code/process/describe-tasks.ts';
export { describeModules, type LookOptions } from './code/process/with-pool.ts';
export { findProjectConfig, projectConfigFiles, readProjectConfig } from './code/project-config.ts';
export { taskFiles } from './code/task-files.ts';
export { createHandlers, type Handlers, type HandlersOptions } from './create-handlers.ts';
export { createHttpHandler, type HttpOptions } from './http/handler.ts';
export { accountsOf, type RunAsOptions } from './run-as.ts';
export type { SecretLookup } from './secrets.ts';
export { createShellHandler, type ShellOptions } from './shell/handler.ts';
