import { existsSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { type CommandResult, run } from './command.ts';

const POLICY = '/usr/sbin/policy-rc.d';
const MINUTES_5 = 5 * 60_000;

/** Installs the distribution's redis-server (Debian and kin, as root) so that no service of it runs, now or after a reboot. */
export async function installRedis(): Promise<CommandResult> {
  return withoutServices(async () => {
    const first = await aptGet('install', '-y', '--no-install-recommends', 'redis-server');
    if (first.code === 0) return first;
    // Fresh images carry no package lists, old ones lists whose files are gone.
    const update = await aptGet('update');
    if (update.code !== 0) return update;
    return aptGet('install', '-y', '--no-install-recommends', 'redis-server');
  });
}

function aptGet(...args: string[]): Promise<CommandResult> {
  const words = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=120', ...args];
  return run('env', words, { timeoutMs: MINUTES_5 });
}

/** policy-rc.d keeps packages from starting services while they are installed; systemd would still start it at boot. */
async function withoutServices(install: () => Promise<CommandResult>): Promise<CommandResult> {
  const ours = !existsSync(POLICY);
  if (ours) {
    await writeFile(POLICY, '#!/bin/sh\nexit 101\n');
    await chmod(POLICY, 0o755);
  }
  try {
    return await install();
  } finally {
    if (ours) await rm(POLICY, { force: true });
    await run('systemctl', ['disable', 'redis-server'], { timeoutMs: 10_000 });
  }
}
