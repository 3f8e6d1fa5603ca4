import { isPassingError } from '@escapement/store';

const FIRST_WAIT_MS = 50;
const LAST_WAIT_MS = 2000;

/**
 * Repeats a call for as long as Postgres cannot be reached or cannot carry it out just now (a table that is locked, a
 * full disk): a run that has ended must not be run again for that. Only for calls that carry an id, so that a repetition
 * after a lost reply changes nothing.
 */
export function persist<Result>(call: () => Promise<Result>, mayGoOn: () => boolean): Promise<Result> {
  return call().catch((error) => repeat(call, mayGoOn, error));
}

async function repeat<Result>(call: () => Promise<Result>, mayGoOn: () => boolean, thrown: unknown): Promise<Result> {
  let error = thrown;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LAST_WAIT_MS)) {
    if (!isPassingError(error) || !mayGoOn()) throw error;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    try {
      return await call();
    } catch (again) {
      error = again;
    }
  }
}
