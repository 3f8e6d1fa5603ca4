import { BENCHMARKS } from './benchmarks.ts';
import { type Figures, verdictTable } from './targets.ts';

/** Those that have targets, and how a quick call of each is given. */
const QUICK: Record<string, readonly string[]> = {
  pipeline: ['2000', '--rounds', '2', '--empty'],
  backlog: ['5000', '--rounds', '2', '--empty'],
  lateness: ['5'],
  'low-rate': ['5'],
  burst: ['5000'],
  planner: ['50000', '10000'],
  shapes: ['--tasks', '100', '--weeks', '3', '--per-week', '5000', '--rounds', '1'],
  recovery: ['10000'],
  handover: ['100'],
  'fan-out': ['2000'],
  'ordered-starts': ['300'],
  workers: ['2000', '--rounds', '2'],
  idle: ['15'],
  ledger: ['200000'],
  api: ['200000', '--seconds', '10', '--clients', '100'],
  'long-snapshot': ['20000'],
  pressure: ['--only', 'readers,worker-kill', '--seconds', '6', '--rest', '6', '--warm', '5', '--empty'],
  'roll-up': ['1000'],
  cli: ['3'],
};

/**
 * `all [--quick] [NAME ...]`: the benchmarks with targets, one after the other, and the table of what came of each. Quick = a
 * few minutes with small numbers: to see that all of them work, not for figures.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const quick = args.includes('--quick');
  const wanted = args.filter((arg) => arg !== '--quick');
  const figures: Figures = {};
  for (const [name, quickArgs] of Object.entries(QUICK)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    process.stdout.write(`\n=== ${name}${quick ? ` ${quickArgs.join(' ')} (quick)` : ''}\n`);
    Object.assign(figures, await tryOne(name, quick ? quickArgs : []));
  }
  return figures;
}

/** One that fails does not keep the others from running. */
async function tryOne(name: string, args: readonly string[]): Promise<Figures> {
  try {
    const figures = (await (await BENCHMARKS[name]?.())?.run(args)) ?? {};
    process.stdout.write(verdictTable(figures));
    return figures;
  } catch (error) {
    process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
    return {};
  }
}
