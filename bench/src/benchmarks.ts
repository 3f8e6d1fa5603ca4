import type { Figures } from './targets.ts';

interface Benchmark {
  run(args: readonly string[]): Promise<Figures>;
}

/** Each is loaded only when it is asked for. */
export const BENCHMARKS: Record<string, () => Promise<Benchmark>> = {
  pipeline: () => import('./pipeline.ts'),
  backlog: () => import('./backlog.ts'),
  lateness: () => import('./lateness.ts'),
  'low-rate': () => import('./low-rate.ts'),
  burst: () => import('./burst.ts'),
  planner: () => import('./planner.ts'),
  shapes: () => import('./shapes.ts'),
  recovery: () => import('./recovery.ts'),
  handover: () => import('./handover.ts'),
  'fan-out': () => import('./fan-out.ts'),
  'ordered-starts': () => import('./ordered-starts.ts'),
  workers: () => import('./workers.ts'),
  idle: () => import('./idle.ts'),
  alerts: () => import('./alerts.ts'),
  'alert-wave': () => import('./alert-wave.ts'),
  api: () => import('./api.ts'),
  ledger: () => import('./ledger.ts'),
  'long-snapshot': () => import('./long-snapshot.ts'),
  steady: () => import('./steady.ts'),
  pressure: () => import('./pressure.ts'),
  'roll-up': () => import('./roll-up.ts'),
  footprint: () => import('./footprint.ts'),
  forecast: () => import('./forecast.ts'),
  cli: () => import('./cli.ts'),
  dashboard: () => import('./dashboard.ts'),
  intervals: () => import('./intervals.ts'),
  'next-fire': () => import('./next-fire.ts'),
  'task-processes': () => import('./task-processes.ts'),
  timebox: () => import('./timebox.ts'),
};
