// How a run does its work: shell commands, HTTP requests, tasks in TypeScript.

export type { HandlerEvent, OnHandlerEvent } from './code/event.ts';
export { type LoadedTask, type LoadedTasks, loadTaskModules } from './code/load-task-modules.ts';
export { createHandlers, type Handlers, type HandlersOptions } from './create-handlers.ts';
export { createHttpHandler, type HttpOptions } from './http/handler.ts';
export type { SecretLookup } from './secrets.ts';
export { createShellHandler, type ShellOptions } from './shell/handler.ts';
