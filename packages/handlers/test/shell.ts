import { type HandlerContext, shellHandler } from '@escapement/core';
import { createShellHandler, ownAccount, type ShellOptions, sameAccount } from '@escapement/handlers';
import { record } from './context.ts';

const defaults: ShellOptions = {
  allow: true,
  secrets: () => undefined,
  env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  accounts: sameAccount(ownAccount({})),
};

/** Starts a shell task; `done` is its outcome. */
export function startShell(
  spec: Record<string, unknown>,
  options: Partial<ShellOptions> = {},
  given: Partial<Pick<HandlerContext, 'state'>> = {},
) {
  const recorded = record(shellHandler.parse({ type: 'shell', cwd: '/', ...spec }), { kind: 'IN' });
  const context = { ...recorded.context, ...given };
  return { ...recorded, done: createShellHandler({ ...defaults, ...options })(context) };
}

/** Runs a line to its end. */
export async function runLine(
  command: string,
  spec: Record<string, unknown> = {},
  options: Partial<ShellOptions> = {},
) {
  const started = startShell({ command, ...spec }, options);
  const outcome = await started.done;
  return { outcome, logged: started.logged() };
}
