import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 200;
const GIVE_UP_MS = 60_000;

/** Waits until every app runs and says that it is ready. False where one does not within a minute; its log says why. */
export async function allReady(urls: readonly string[], areUp: () => boolean): Promise<boolean> {
  const deadline = performance.now() + GIVE_UP_MS;
  while (performance.now() < deadline) {
    const answers = await Promise.all(urls.map(isReady));
    if (answers.every(Boolean) && areUp()) return true;
    await delay(EVERY_MS, undefined, { ref: false });
  }
  return false;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}
