import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../process.mjs';

const target = z.strictObject({
  inherits: z.tuple([z.literal('image')]),
  dockerfile: z.string(),
  tags: z.tuple([z.string()]),
});
const bake = z
  .strictObject({
    variable: z.record(z.enum(['REGISTRY', 'VERSION']), z.strictObject({ default: z.string() })),
    group: z.strictObject({ default: z.strictObject({ targets: z.array(z.string()) }) }),
    target: z
      .strictObject({
        image: z.strictObject({
          context: z.literal('.'),
          platforms: z.array(z.string()),
          attest: z.array(z.string()),
          labels: z.record(z.string(), z.string()),
        }),
      })
      .catchall(target),
  })
  .parse(JSON.parse(readFileSync(path.join(root, 'docker-bake.json'), 'utf8')));

test('each image is built for both processors, with a bill of materials and where it comes from', () => {
  const { image, ...images } = bake.target;
  expect(image).toMatchObject({
    platforms: ['linux/amd64', 'linux/arm64'],
    attest: ['type=sbom', 'type=provenance,mode=max'],
  });
  expect(bake.group.default.targets).toEqual(['scheduler', 'api', 'worker']);
  expect(Object.keys(images)).toEqual(bake.group.default.targets);
});

test('each has the name and version that the manifests for Kubernetes ask for, and a Dockerfile', () => {
  const { image: _, ...images } = bake.target;
  expect(bake.variable).toEqual({ REGISTRY: { default: '' }, VERSION: { default: manifest.version } });
  for (const [name, { dockerfile, tags }] of Object.entries(images)) {
    expect(tags).toEqual([`$\{REGISTRY}escapement-${name}:$\{VERSION}`]);
    expect(dockerfile).toBe(`apps/${name}/Dockerfile`);
    expect(existsSync(path.join(root, dockerfile))).toBe(true);
  }
});
