const BENCHMARKS: Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>> = {
  'next-fire': () => import('./next-fire.ts'),
  'fan-out': () => import('./fan-out.ts'),
  handover: () => import('./handover.ts'),
  intervals: () => import('./intervals.ts'),
  lateness: () => import('./lateness.ts'),
  pipeline: () => import('./pipeline.ts'),
  recovery: () => import('./recovery.ts'),
  timebox: () => import('./timebox.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const benchmark = BENCHMARKS[name];
if (benchmark) {
  await (await benchmark()).run(args);
} else {
  process.stderr.write(`usage: npm run bench -- ${Object.keys(BENCHMARKS).join(' | ')}\n`);
  process.exitCode = 2;
}
