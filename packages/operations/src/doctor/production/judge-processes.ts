import { counted } from '@escapement/core';
import type { LiveProcess } from '@escapement/store';
import { type Finding, ok, onPage, warning } from '../finding.ts';
import { PAGES } from './pages.ts';

/** Older major versions of Node get no more fixes: 20 since 30 April 2026 (github.com/nodejs/release). */
const OLDEST_NODE = 22;

/** Whether the end of one process, or of one host, stops the fleet; and versions. `processes`: those alive. */
export function judgeProcesses(processes: readonly LiveProcess[], node: string): Finding[] {
  const spare = (['scheduler', 'worker'] as const).map((role) =>
    judgeSpare(
      processes.filter((each) => each.role === role),
      role,
    ),
  );
  const alone = judgePoolsOfOne(processes.filter(({ role }) => role === 'worker'));
  return [
    ...onPage(PAGES.start, ...spare, ...alone),
    ...onPage(PAGES.deploy, judgeVersions(processes)),
    ...onPage(PAGES.start, judgeNode(node)),
  ];
}

function judgeSpare(processes: readonly LiveProcess[], role: 'scheduler' | 'worker'): Finding {
  const subject = role === 'scheduler' ? 'Schedulers' : 'Workers';
  const hosts = new Set(processes.map(({ host }) => host)).size;
  const said = `${processes.length} alive on ${counted(hosts, 'host')}`;
  if (processes.length >= 2 && hosts >= 2) return ok(subject, said);
  const what =
    processes.length < 2
      ? `without a second ${role} nothing ${role === 'scheduler' ? 'is planned' : 'runs'} while it is away`
      : 'the end of that host ends them all';
  return warning(subject, `${said}: ${what}`, 'run two at least, on two hosts');
}

/** With one worker alone it was said already. */
function judgePoolsOfOne(workers: readonly LiveProcess[]): Finding[] {
  if (workers.length < 2) return [];
  const pools = new Map<string, number>();
  for (const pool of workers.flatMap((worker) => worker.pools)) pools.set(pool, (pools.get(pool) ?? 0) + 1);
  const alone = [...pools].filter(([, count]) => count === 1).map(([pool]) => pool);
  if (alone.length === 0) return [];
  return [
    warning(
      'Pools',
      `one worker alone serves ${alone.slice(0, 5).join(', ')}${alone.length > 5 ? ` and ${alone.length - 5} more` : ''}`,
      'start a second one for each',
    ),
  ];
}

function judgeVersions(processes: readonly LiveProcess[]): Finding {
  const versions = [...new Set(processes.map(({ appVersion }) => appVersion))].sort();
  if (versions.length < 2)
    return ok('Versions', versions.length === 0 ? 'no process is alive' : `all processes have ${versions[0]}`);
  return warning('Versions', `processes have different ones: ${versions.join(', ')}`, 'end the rollout');
}

function judgeNode(node: string): Finding {
  const said = `Node ${node} here; of other processes it is not known`;
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return ok('Versions', said);
  return warning('Versions', `${said}: it gets no more fixes`, `use Node ${OLDEST_NODE} or later`);
}
