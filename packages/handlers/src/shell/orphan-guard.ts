import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads `+ id` and `- id`; at the end of its input, which is the end of the worker, however it came,
 * it stops the groups that are left.
 */
const SCRIPT = `
groups=' '
while read -r sign id; do
  case $sign in
    +) groups="$groups$id " ;;
    -) groups="\${groups%% $id *} \${groups#* $id }" ;;
  esac
done
[ -z "\${groups# }" ] && exit
for id in $groups; do kill -s TERM -- "-$id"; kill -s CONT -- "-$id"; done
sleep 4
for id in $groups; do kill -s KILL -- "-$id"; done
`;

/**
 * Ends the processes of a worker that was killed. Their runs are soon tried again elsewhere, and
 * both would work side by side. One small shell per worker, started with the first process.
 */
export class OrphanGuard {
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;

  add(group: number): void {
    this.#groups.add(group);
    if (this.#shell) this.#say(`+ ${group}\n`);
    else this.#start();
  }

  remove(group: number): void {
    this.#groups.delete(group);
    this.#say(`- ${group}\n`);
  }

  #start(): void {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      // Out of the worker's group, or a Ctrl-C would end the guard before the worker.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell = shell;
    const forget = () => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    shell.once('error', forget).once('exit', forget);
    shell.stdin?.on('error', forget);
    shell.unref();
    if (shell.stdin && 'unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
    for (const group of this.#groups) this.#say(`+ ${group}\n`);
  }

  #say(line: string): void {
    this.#shell?.stdin?.write(line);
  }
}
