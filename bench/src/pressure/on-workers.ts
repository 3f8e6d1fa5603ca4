import { SECOND, systemClock } from '@escapement/core';
import { until } from '../wait.ts';
import { type Ground, onItsOwn, type Pressure } from './pressure.ts';

/** A phase has so many repeated kills. */
const KILLS = 6;
/** A worker is away for this share of a phase. */
const AWAY = 1 / 3;

/** One of two workers dies when the phase begins. Another one takes its place after a third of the phase. */
export async function killOnce({ fleet, fromMs, toMs }: Ground): Promise<Pressure> {
  fleet.killWorker();
  return onItsOwn(
    (async () => {
      await until(fromMs + (toMs - fromMs) * AWAY);
      await fleet.replaceWorker();
      return `the new worker was up after ${((systemClock.now().getTime() - fromMs) / SECOND).toFixed(1)} s`;
    })(),
  );
}

/** The same worker dies again and again. Another one takes its place at once. */
export async function killAgainAndAgain({ fleet, fromMs, toMs }: Ground): Promise<Pressure> {
  return onItsOwn(
    (async () => {
      for (let kill = 0; kill < KILLS; kill++) {
        await until(fromMs + ((toMs - fromMs) * kill) / KILLS);
        fleet.killWorker();
        await fleet.replaceWorker();
      }
      return `${KILLS} kills`;
    })(),
  );
}
