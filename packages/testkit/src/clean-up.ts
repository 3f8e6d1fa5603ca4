type CleanUp = () => Promise<unknown> | unknown;

const cleanUps: CleanUp[] = [];

/** Does something after the last test of the calling file, the newest first. */
export function afterFile(cleanUp: CleanUp): void {
  cleanUps.push(cleanUp);
}

/** Does what the test file has asked for. */
export async function cleanUpFile(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}

// A worker of vitest whose runner is killed would run on, and with it all that its tests started.
process.once('disconnect', () => process.exit(1));
