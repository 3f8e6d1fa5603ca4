import { afterAll } from 'vitest';

type CleanUp = () => Promise<unknown> | unknown;

const cleanUps: CleanUp[] = [];

// Registered while the test file is being collected, so that `afterFile` may be called anywhere in it,
// and first of all hooks, so that it runs last: vitest runs after-hooks in reverse.
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Does something after the last test of the calling file, the newest first. */
export function afterFile(cleanUp: CleanUp): void {
  cleanUps.push(cleanUp);
}

// A worker of vitest whose runner is killed would run on, and with it all that its tests started.
process.once('disconnect', () => process.exit(1));
