// A fleet for who writes tasks, until Ctrl-C: `npm run dev` of a clone, `escapement dev` of a project.

export { type App, type AppProgram, startApp } from './app.ts';
export { type DevState, readDevState } from './claim.ts';
export { signInLink } from './dev-user.ts';
export { APPS, type AppName, type Layout } from './layout.ts';
export { runDev } from './run-dev.ts';
