export { type LoadedTasks, loadTaskModules } from './code/load-task-modules.ts';
export { createHandlers, type HandlersOptions } from './create-handlers.ts';
export { createHttpHandler, type HttpOptions } from './http/handler.ts';
export type { SecretLookup } from './secrets.ts';
export { createShellHandler, type ShellOptions } from './shell/handler.ts';
