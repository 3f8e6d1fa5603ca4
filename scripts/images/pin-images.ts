// `npm run pin-images`: writes the digest behind the tag of each image that docker-compose.yml and the Dockerfiles name. For whoever
// builds a release: only a registry knows digests. Asks it by `docker buildx imagetools`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../process.mjs';
import { pinned } from './pinned.ts';

const FILES = ['docker-compose.yml', 'apps/scheduler/Dockerfile', 'apps/worker/Dockerfile', 'apps/api/Dockerfile'];
const digests = new Map<string, string>();

function digestOf(image: string): string {
  const known = digests.get(image);
  if (known !== undefined) return known;
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'];
  const digest = execFileSync('docker', args, { encoding: 'utf8' }).trim();
  digests.set(image, digest);
  return digest;
}

for (const file of FILES) {
  const place = path.join(root, file);
  writeFileSync(place, pinned(readFileSync(place, 'utf8'), digestOf));
}
for (const [image, digest] of digests) console.log(`${image}@${digest}`);
