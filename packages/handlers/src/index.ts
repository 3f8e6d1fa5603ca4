export type { SecretLookup } from './secrets.ts';
export { createShellHandler, type ShellOptions } from './shell/handler.ts';
