import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@escapement/servers';
import { afterFile } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { folderWith, init, read } from './init-folder.ts';

const service = z.object({
  image: z.string(),
  entrypoint: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string()),
});
const compose = z.object({ services: z.object({ postgres: service, redis: service }) });

const ofClone = new URL('../../../docker-compose.yml', import.meta.url);
const servicesIn = (text: string) => compose.parse(parse(text, { merge: true })).services;

async function written() {
  const cwd = folderWith();
  await init(cwd);
  return { cwd, services: servicesIn(read(cwd, 'escapement.compose.yml')), env: read(cwd, '.env') };
}

test('the compose file has the images of the product, listens on this machine alone, and takes its passwords from .env', async () => {
  const { services, env } = await written();
  const known = servicesIn(readFileSync(ofClone, 'utf8'));
  for (const name of ['postgres', 'redis'] as const) {
    expect(services[name].image).toBe(known[name].image);
    for (const port of services[name].ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    const passwords = Object.values(services[name].environment).filter((value) => value.startsWith('$'));
    expect(passwords).toHaveLength(1);
    for (const password of passwords) expect(env).toContain(`${/\w+/.exec(password)?.[0]}=`);
  }
});

test('its Redis has one user, with the password, and evicts nothing', async () => {
  const { cwd, services } = await written();
  const [, ...words] = (services.redis.entrypoint ?? []).map((word) =>
    word.replaceAll('$$', '$').replaceAll('/tmp/users.acl', join(cwd, 'users.acl')),
  );
  const port = await freePort();
  const server = spawn('sh', [...words, '--port', String(port), '--bind', '127.0.0.1', '--dir', cwd], {
    env: { PATH: process.env.PATH, REDIS_PASSWORD: 's3cret' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  afterFile(async () => {
    server.kill();
    await once(server, 'close');
  });
  for await (const piece of server.stdout) if (String(piece).includes('Ready to accept')) break;
  server.stdout.resume();
  const options = { port, lazyConnect: true, retryStrategy: () => null };
  const stranger = new Redis(options);
  stranger.on('error', () => undefined);
  await expect(stranger.ping()).rejects.toThrow('NOAUTH');
  stranger.disconnect();
  const redis = new Redis({ ...options, username: 'escapement', password: 's3cret' });
  afterFile(async () => redis.disconnect());
  expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
});
