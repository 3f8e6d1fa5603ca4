import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@escapement/servers';
import { afterFile } from './clean-up.ts';
import { eventually } from './pace/fair-time.ts';
import { reapWithUs } from './reaper.ts';
import { testServers } from './test-servers.ts';

const programOf = (name: string) => [`/usr/bin/${name}`, `/usr/local/bin/${name}`].find(existsSync);

/** Whether Prometheus and its tool are installed (Debian: `apt-get install prometheus`). */
export const hasPrometheus = programOf('prometheus') !== undefined && programOf('promtool') !== undefined;

/** Runs `promtool` with the text as its standard input. */
export function promtool(args: readonly string[], { input = '', cwd }: { input?: string; cwd?: string } = {}) {
  const { status, stdout, stderr } = spawnSync(programOf('promtool') ?? 'promtool', [...args], {
    input,
    cwd,
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${stderr}` };
}

export interface Prometheus {
  /** What an expression gives now: for each series its labels and value. */
  query(expression: string): Promise<{ metric: Record<string, string>; value: number }[]>;
}

/** Starts one that reads these targets (host:port) every second, with the rules of a file. It is ended after the test file. */
export async function startPrometheus(targets: readonly string[], rulesFile: string): Promise<Prometheus> {
  const home = join(testServers().home, `prometheus-${randomUUID()}`);
  mkdirSync(home, { mode: 0o755 });
  const config = join(home, 'prometheus.yml');
  const lines = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: [{ job_name: 'escapement', static_configs: [{ targets }] }],
  };
  // JSON is YAML.
  writeFileSync(config, JSON.stringify(lines), { mode: 0o644 });
  const port = await freePort(0);
  const url = `http://127.0.0.1:${port}`;
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(home, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (account.uid !== undefined) chownSync(home, account.uid, account.gid);
  const child = spawn(programOf('prometheus') ?? 'prometheus', args, {
    stdio: 'ignore',
    detached: true,
    cwd: home,
    ...account,
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  reapWithUs(child);
  afterFile(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await eventually(async () => {
    const response = await fetch(`${url}/-/ready`);
    if (!response.ok) throw new Error(`Prometheus answers ${response.status}`);
  });
  return {
    async query(expression) {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
      const body = (await response.json()) as {
        data?: { result: { metric: Record<string, string>; value: [number, string] }[] };
        error?: string;
      };
      if (body.data === undefined) throw new Error(`${expression}: ${body.error ?? response.status}`);
      return body.data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    },
  };
}
