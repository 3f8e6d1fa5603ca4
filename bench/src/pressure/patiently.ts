import { SECOND, systemClock } from '@escapement/core';
import { isPassingError } from '@escapement/store';
import { pause } from '../apps.ts';

const GIVE_UP_MS = 60 * SECOND;
const AGAIN_MS = 200;

/** Asks again while Postgres is away or has no room: the driver must get its answer under pressure too. */
export async function patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
  const endMs = systemClock.monotonicMs() + GIVE_UP_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassingError(error) || systemClock.monotonicMs() > endMs) throw error;
      await pause(AGAIN_MS);
    }
  }
}
