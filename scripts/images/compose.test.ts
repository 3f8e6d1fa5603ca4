import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from '../process.mjs';
import { pinned } from './pinned.ts';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const service = z.object({
  image: z.string(),
  build: z.unknown().optional(),
  user: z.string().optional(),
  read_only: z.boolean().optional(),
  privileged: z.undefined().optional(),
  cap_drop: z.array(z.string()).optional(),
  cap_add: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()),
});

const text = read('docker-compose.yml');
const { services } = z.object({ services: z.record(z.string(), service) }).parse(parse(text, { merge: true }));
/** A digest is added when a release is built. */
const EXACT = /^[a-z/]+:\d+\.\d+(\.\d+)?(-[a-z0-9.-]+)?(@sha256:[0-9a-f]{64})?$/;

describe.each(Object.entries(services))('service %s of docker-compose.yml', (name, each) => {
  test('has an image of its own or one with an exact tag', () => {
    if (each.build === undefined) expect(each.image).toMatch(EXACT);
  });

  test('cannot change its file system, and gains no privileges', () => {
    expect(each).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(each.cap_add ?? []).toEqual(name === 'worker' ? ['SETUID', 'SETGID', 'KILL'] : []);
  });

  test('is not root, but for the worker that makes its tasks somebody else', () => {
    if (each.build === undefined) expect(each.user).toMatch(/^(postgres|redis)$/);
    if (each.user === 'root') expect(each.environment.ESCAPEMENT_RUN_AS).toBe('nobody');
  });

  test('listens on this machine alone, and mounts what it may not write but its own volume', () => {
    for (const port of each.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    for (const volume of each.volumes) expect(volume).toMatch(/^(postgres|redis):|:ro$/);
  });

  test('has no password that everybody knows: each comes from .env, and none has a default', () => {
    for (const [variable, value] of Object.entries(each.environment)) {
      const [, inUrl] = /:\/\/[^:]*:(.*)@/.exec(value) ?? [];
      const password = /PASSWORD/.test(variable) ? value : inUrl;
      if (password !== undefined) expect(password).toMatch(/^\$\{[A-Z_]+_PASSWORD:\?npm run init\}$/);
    }
  });
});

test('each program has a user of its own in Postgres, and the superuser is for none', () => {
  const users = Object.entries(services).flatMap(([name, { environment }]) => {
    const [, user] = /^postgresql:\/\/(\w+):/.exec(environment.DATABASE_URL ?? '') ?? [];
    return user === undefined ? [] : [[name, user]];
  });
  expect(users).toEqual([
    ['migrate', 'escapement'],
    ['scheduler', 'scheduler'],
    ['api', 'api'],
    ['cli', 'api'],
    ['worker', 'worker'],
  ]);
});

test('the passwords stay out of Git and images', () => {
  expect(read('.gitignore').split('\n')).toContain('.env');
  const [first, ...others] = read('.dockerignore')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  expect(first).toBe('*');
  expect(others.some((line) => line.startsWith('!.env'))).toBe(false);
});

test.each(['apps/scheduler/Dockerfile', 'apps/worker/Dockerfile', 'apps/api/Dockerfile'])(
  '%s is built on an exact tag',
  (file) => {
    const bases = [...read(file).matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(bases.length).toBeGreaterThan(1);
    for (const image of bases) expect(image).toMatch(EXACT);
  },
);

describe('npm run pin-images', () => {
  const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

  test('gives each image the digest of its tag, and may be repeated', () => {
    const once = pinned(text, () => digest('a'));
    expect(once).toContain(`image: postgres:18.4-bookworm@${digest('a')}\n`);
    // Those of our own are built, and have no tag.
    expect(once.match(/@sha256/g)).toHaveLength(2);
    expect(pinned(once, () => digest('b'))).toBe(once.replaceAll(digest('a'), digest('b')));
    const dockerfile = pinned(read('apps/worker/Dockerfile'), () => digest('c'));
    expect(dockerfile).toContain(`@${digest('c')} AS build\n`);
    expect(dockerfile.match(/@sha256/g)).toHaveLength(2);
  });

  test('what is no digest is refused', () => {
    expect(() => pinned(text, () => 'no such manifest')).toThrow('has no digest');
  });
});
