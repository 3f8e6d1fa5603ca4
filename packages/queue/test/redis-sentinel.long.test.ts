import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectRedis } from '@escapement/queue';
import { freePort, startRedis } from '@escapement/servers';
import { certificates, eventually, testServers } from '@escapement/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type OwnRedis, ownRedis } from './redis-server.ts';
import { aFleet, aRequest, aRun, heldLease, runsThrough } from './support.ts';

/** A sentinel that fails over by itself, after half a second. `more`: lines of its configuration. */
async function startSentinel(primaryPort: number, more: readonly string[] = []): Promise<number> {
  const { home, redisProgram } = testServers();
  const dir = join(home, `sentinel-${randomUUID()}`);
  const [config, program] = [`${dir}/sentinel.conf`, `${dir}/program`];
  await mkdir(dir);
  await writeFile(
    config,
    `${more.map((line) => `${line}\n`).join('')}sentinel monitor mymaster 127.0.0.1 ${primaryPort} 1
sentinel down-after-milliseconds mymaster 500
sentinel failover-timeout mymaster 3000
`,
  );
  // It needs its file, which has to come before all other arguments.
  await writeFile(program, `#!/bin/sh\nexec '${redisProgram}' '${config}' "$@"\n`, { mode: 0o755 });
  const server = await startRedis(program, { dir, port: 0, ephemeral: true, settings: ['--sentinel'] });
  onTestFinished(() => server.crash());
  return server.port;
}

/** Runs are taken again, by way of the replica, which is the primary now. */
async function goesOnWith(replica: OwnRedis, { queue, executed }: ReturnType<typeof aFleet>): Promise<void> {
  const run = aRun();
  await eventually(async () => {
    await queue.add([run]);
    expect(executed).toContain(run.runId);
  }, 12_000);
  expect(await replica.client.role()).toContain('master');
}

test('queue, worker and leases go on with the new primary when the old one dies', async () => {
  const primary = await ownRedis();
  const port = Number(new URL(primary.url).port);
  const replica = await ownRedis(`--replicaof 127.0.0.1 ${port}`);
  await eventually(async () => expect(await replica.client.info('replication')).toContain('master_link_status:up'));
  const sentinel = await startSentinel(port);
  const fleet = aFleet({
    url: 'redis://mymaster/0',
    // The first one is not there: the next is asked.
    sentinels: { addresses: [1, sentinel].map((at) => ({ host: '127.0.0.1', port: at })) },
  });
  await runsThrough(fleet);
  const lease = await heldLease(fleet.keeper, aRequest({ key: 'held' }));
  await eventually(async () => expect(await replica.client.exists('esc:{test:held}:lease:1')).toBe(1));
  await primary.kill();
  await goesOnWith(replica, fleet);
  // The lease lives on if it is younger than the failover, and is told as lost if not; a new one can be had.
  if (!lease.isValid()) await eventually(() => expect(lease.lost.aborted).toBe(true));
  await runsThrough(fleet);
});

test('by TLS, sentinels, both servers and clients among each other, they go on as well', async () => {
  const { files, ca, cert, key } = await certificates('127.0.0.1');
  const lines = (port: number) => [
    ...[`tls-port ${port}`, 'tls-replication yes', `tls-ca-cert-file ${files.ca}`],
    ...[`tls-cert-file ${files.cert}`, `tls-key-file ${files.key}`],
  ];
  const [port, replicaPort, sentinelPort] = [await freePort(), await freePort(), await freePort()];
  const settings = (at: number) => lines(at).map((line) => `--${line}`);
  const primary = await ownRedis(...settings(port));
  const replica = await ownRedis(...settings(replicaPort), `--replicaof 127.0.0.1 ${port}`);
  await eventually(async () => expect(await replica.client.info('replication')).toContain('master_link_status:up'));
  await startSentinel(port, lines(sentinelPort));
  const fleet = aFleet({
    url: 'rediss://mymaster/0',
    tls: { ca, cert, key },
    sentinels: { addresses: [{ host: '127.0.0.1', port: sentinelPort }] },
  });
  await runsThrough(fleet);
  await primary.kill();
  await goesOnWith(replica, fleet);
  await runsThrough(fleet);
});

test('sentinels that do not know the name, or are all away, are told as what they are', async () => {
  const primary = await ownRedis();
  const sentinel = await startSentinel(Number(new URL(primary.url).port));
  const why = async (name: string, port: number) => {
    const sentinels = { addresses: [{ host: '127.0.0.1', port }] };
    const connection = connectRedis({ url: `redis://${name}`, sentinels, namespace: 'test', commandTimeoutMs: 500 });
    onTestFinished(() => connection.close());
    return await connection.ping().then(String, String);
  };
  expect(await why('mymaster', 1)).toMatch(/sentinels 127.0.0.1:1\) does not answer: .*sentinels are unreachable/);
  expect(await why('nobody', sentinel)).toMatch(/redis:\/\/nobody .* does not answer/);
});
