import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bin, root } from '../process.mjs';
import type { Manifest } from './manifest.ts';
import { copyOfManifests, hasKustomize, KUSTOMIZE, render } from './render.ts';

const folder = copyOfManifests();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PACKAGES = new Map([
  ['keda.sh', '@kubernetes-models/keda/'],
  ['monitoring.coreos.com', '@kubernetes-models/prometheus-operator/'],
]);

/** The module of a package that has the model of a kind: `kubernetes-models/apps/v1/Deployment`. */
function moduleOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  const [group = ''] = apiVersion.split('/');
  return `${PACKAGES.get(group) ?? 'kubernetes-models/'}${apiVersion}/${kind}`;
}

const load = createRequire(import.meta.url);
const model = z.custom<new (data: unknown) => { validate(): void }>((value) => typeof value === 'function');

function problemsOf(manifest: Manifest): string[] {
  const Model = z.looseObject({ [manifest.kind]: model }).parse(load(moduleOf(manifest)))[manifest.kind];
  try {
    new (model.parse(Model))(manifest).validate();
    return [];
  } catch (error) {
    return [`${manifest.kind} ${manifest.metadata.name}: ${String(error)}`];
  }
}

/** What TypeScript says of manifests as literals: it finds names that no schema has, which schemas of Kubernetes let pass. */
function unknownNames(manifests: readonly Manifest[]): string {
  const checked = path.join(folder, 'checked');
  mkdirSync(checked, { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(checked, 'node_modules'));
  const kinds = new Map(manifests.map((each) => [typeName(each), each]));
  const imports = [...kinds].map(
    ([name, each]) => `import type { I${each.kind} as ${name} } from '${moduleOf(each)}';\n`,
  );
  const values = manifests.map((each, i) => `export const m${i}: ${typeName(each)} = ${JSON.stringify(each)};\n`);
  writeFileSync(path.join(checked, 'manifests.ts'), [...imports, ...values].join(''));
  const options = '--noEmit --strict --skipLibCheck --module nodenext --moduleResolution nodenext --ignoreConfig';
  const { stdout } = spawnSync(bin('tsc'), [...options.split(' '), 'manifests.ts'], { cwd: checked, encoding: 'utf8' });
  rmSync(checked, { recursive: true });
  return stdout;
}

const typeName = ({ apiVersion, kind }: Manifest) => `${kind}_${apiVersion.replace(/\W/g, '_')}`;

describe.skipIf(!hasKustomize)('manifests for Kubernetes', () => {
  const overlays = ['base', 'overlays/example', 'overlays/separated'];

  test.each(overlays)('those of %s are as the published schemas of their kinds want them', (overlay) => {
    const manifests = render(path.join(folder, overlay));
    expect(manifests.length).toBeGreaterThan(15);
    expect(manifests.flatMap(problemsOf)).toEqual([]);
    expect(unknownNames(manifests)).toBe('');
  });

  test('a value of another type is found, and a name that no schema has', () => {
    const [deployment] = render(path.join(folder, 'base')).filter(({ kind }) => kind === 'Deployment');
    if (!deployment) throw new Error('there is no Deployment');
    expect(problemsOf({ ...deployment, spec: { selector: 'all' } })[0]).toContain('must be object');
    expect(unknownNames([{ ...deployment, specs: {} }])).toContain('\'"specs"\' does not exist in type');
  });
});

const newer = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).stdout ?? '';

// The package has an older kustomize than kubectl has by now.
test.skipIf(!hasKustomize || !/Kustomize Version: v[5-9]/.test(newer))('a current kubectl renders the same', () => {
  const of = (command: string, args: string[]) =>
    execFileSync(command, [...args, path.join(folder, 'overlays/separated')], { encoding: 'utf8' });
  expect(of('kubectl', ['kustomize'])).toBe(of(KUSTOMIZE, ['build']));
});
