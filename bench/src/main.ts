import { BENCHMARKS } from './benchmarks.ts';
import { verdictTable } from './targets.ts';

const [name = '', ...args] = process.argv.slice(2);
const load = name === 'all' ? () => import('./all.ts') : BENCHMARKS[name];
if (load) {
  const figures = (await (await load()).run(args)) ?? {};
  if (Object.keys(figures).length > 0) process.stdout.write(verdictTable(figures));
} else {
  process.stderr.write(`usage: npm run bench -- all [--quick] | ${Object.keys(BENCHMARKS).join(' | ')}\n`);
  process.exitCode = 2;
}
