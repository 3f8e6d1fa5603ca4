import { runCli } from '../../apps/cli/test/cli.ts';
import type { Ended } from './fleet.ts';

/** Commands that change something, run a fleet, or read what is not ours. */
const NO_READERS = new Set([
  ...['dev', 'build', 'start'],
  ...[
    'import crontab',
    'import host',
    'import anacron',
    'import run-parts',
    'shadow patch',
    'shadow unpatch',
    'shadow patch-host',
    'shadow unpatch-host',
    'shadow cutover',
    'shadow back',
    'shadow settle',
    'report',
    'import systemd',
    'import k8s',
    'import bullmq',
    'apply',
    'migrate',
    'restore-check',
    'schema',
    'init',
    'mcp',
    'tasks add',
    'tasks trigger',
    'tasks pause',
    'tasks resume',
    'tasks delete',
  ],
  ...[
    'tasks state set',
    'tasks state drop',
    'tasks skip',
    'tasks edit',
    'tasks revert',
    'tasks rename',
    'tasks changes drop',
  ],
  ...[
    'runs cancel',
    'runs rerun',
    'runs redrive',
    'runs resolve',
    'keys release',
    'pools set',
    'pools pause',
    'pools resume',
  ],
  ...[
    'recovery run',
    'recovery drop',
    'calendars set',
    'calendars delete',
    'lists add',
    'lists drop',
    'backfill start',
    'users create',
    'users password',
    'users delete',
    'tokens create',
    'tokens revoke',
  ],
]);

/** Commands that show something, with what they are asked for; those not in here are asked without arguments. */
export function argumentsOf(runs: readonly Ended[], tasks: readonly string[]): Record<string, string[][]> {
  const ofTasks = tasks.map((name) => [name]);
  const ofRuns = runs.map(({ id }) => [id]);
  return {
    'tasks show': ofTasks,
    'tasks history': ofTasks.slice(-2),
    'tasks state show': [['leak', '--key', 'leak-state']],
    'runs list': [['--limit', '500']],
    'runs show': ofRuns,
    'runs tree': ofRuns.slice(0, 2),
    'runs logs': ofRuns,
    'runs watch': ofRuns.slice(0, 2),
    'keys show': [['leak-state']],
    'keys history': [['leak-state']],
    'pools show': [['default']],
    next: [['leak']],
    explain: [['* * * * *']],
    'lists show': [['canary']],
  };
}

/** The command lines that only show something, as the help of the product lists them; a new one is among them. */
export async function readers(): Promise<string[]> {
  const all = await leavesOf([]);
  return all.filter((command) => !NO_READERS.has(command));
}

async function leavesOf(path: readonly string[]): Promise<string[]> {
  const { stdout, stderr } = await runCli([...path, '--help']);
  const [, commands] = (stdout + stderr).split(/^Commands:$/m);
  if (commands === undefined) return [path.join(' ')];
  const names = [...(commands.split(/^\S/m)[0] ?? '').matchAll(/^ {2}([a-z0-9-]+)/gm)].map(([, name]) => name ?? '');
  const below = await Promise.all(names.filter((name) => name !== 'help').map((name) => leavesOf([...path, name])));
  return below.flat();
}
