import { type Child, startChild } from '../children.ts';
import { cpuUsOf } from '../cpu.ts';
import { createErrorCount } from './error-count.ts';

/** Places for processes: one that was killed leaves its place to another one. */
export function createPlaces(addresses: { databaseUrl: string; redisUrl: string }) {
  const errors = createErrorCount();
  const deaths: string[] = [];
  const living = new Map<number, Child>();
  const endedUs = new Map<number, number>();
  const usedUs = (place: number) => (endedUs.get(place) ?? 0) + (cpuUsOf(living.get(place)?.pid ?? 0) || 0);
  return {
    /** Processes that ended though nobody killed them. */
    deaths,
    takeErrors: errors.take,
    /** Processor time of all processes that had the place. Microseconds. */
    usedUs,
    async start(place: number, file: string, input: object): Promise<void> {
      const child = await startChild(file, { ...addresses, ...input }, { onErrorLine: errors.add });
      living.set(place, child);
      child.process.once('exit', (code, signal) => {
        if (living.get(place) === child) deaths.push(`${file} ended with ${code ?? signal}`);
      });
    },
    kill(place: number): void {
      const child = living.get(place);
      endedUs.set(place, usedUs(place));
      living.delete(place);
      child?.process.kill('SIGKILL');
    },
    async stop(): Promise<void> {
      const children = [...living.values()];
      living.clear();
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}
