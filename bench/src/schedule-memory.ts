import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseSchedule, type Schedule, type ScheduleSpec } from '@escapement/core/schedule';

const ZONES = ['America/New_York', 'Europe/Berlin', 'UTC', 'Asia/Kolkata'];

const daily = (turn: number): ScheduleSpec => ({
  kind: 'cron',
  expression: `${turn % 60} ${Math.floor(turn / 60) % 24} * * *`,
  timeZone: ZONES[Math.floor(turn / 1440) % ZONES.length] ?? 'UTC',
});

const unlike = (turn: number): ScheduleSpec => ({
  kind: 'cron',
  expression: `${turn % 60} ${Math.floor(turn / 60) % 60} ${Math.floor(turn / 3600) % 24} * * *`,
  timeZone: ZONES[turn % ZONES.length] ?? 'UTC',
});

const hashed = (): ScheduleSpec => ({ kind: 'cron', expression: 'H H * * *', timeZone: 'UTC' });

/** What a million parsed schedules hold of the heap: equal ones are one object. */
export function measureMemory(): void {
  const collect = garbageCollector();
  console.log('\nparsed schedules that are kept\n');
  const cases = [
    { what: '1,000,000, daily at each minute in 4 zones', count: 1_000_000, spec: daily },
    { what: '1,000,000 tasks of their own with H H * * *', count: 1_000_000, spec: hashed },
    { what: '80,000, no two alike', count: 80_000, spec: unlike },
  ];
  for (const { what, count, spec } of cases) {
    const before = collect();
    const started = performance.now();
    const kept = Array.from(
      { length: count },
      (_, turn): Schedule => parseSchedule(spec(turn), { seed: `task-${turn}` }),
    );
    const each = ((performance.now() - started) / count) * 1000;
    const bytes = collect() - before;
    const objects = new Set(kept).size.toLocaleString('en-US');
    const figures = `${(bytes / 1e6).toFixed(0)} MB, ${(bytes / count).toFixed(0)} bytes each`;
    console.log(`${what.padEnd(46)} ${objects.padStart(8)} objects  ${figures}, ${each.toFixed(1)} us to parse`);
  }
}

/** The heap in bytes after a full collection. */
function garbageCollector(): () => number {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  return () => {
    if (typeof gc === 'function') gc();
    return process.memoryUsage().heapUsed;
  };
}
