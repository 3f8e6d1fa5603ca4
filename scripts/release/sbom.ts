import { z } from 'zod';
import { bundle } from '../../apps/cli/bundle/up-to-date.js';
import { packagesOfSite } from '../../apps/dashboard/build/site.ts';
import { publishedWorkspaces } from '../pack/workspaces.ts';
import { run } from '../process.mjs';

const component = z.looseObject({ 'bom-ref': z.string(), type: z.string(), name: z.string(), purl: z.string() });
const sbom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component }),
  components: z.array(component),
});

export type Component = z.output<typeof component>;
export type Sbom = z.output<typeof sbom>;

/**
 * All that a release has in it or brings, in the format CycloneDX: what npm installs with the published packages, by the lock file, and what is
 * bundled in the command line and in the dashboard.
 */
export async function writeSbom(): Promise<string> {
  const workspaces = publishedWorkspaces().map(({ manifest }) => `--workspace=${manifest.name}`);
  const installed = await npmSbom(['--omit=dev', ...workspaces]);
  const everything = await npmSbom([]);
  const { metafile } = await bundle();
  const bundled = [...namesIn(Object.keys(metafile.inputs)), ...packagesOfSite()];
  return `${JSON.stringify(mergedSbom(installed, everything.components, bundled), null, 2)}\n`;
}

async function npmSbom(options: readonly string[]): Promise<Sbom> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', ...options];
  const { code, output } = await run('npm', args, { capture: true });
  if (code !== 0) throw new Error(`npm sbom failed:\n${output}`);
  return sbom.parse(JSON.parse(output));
}

/** Packages by the paths of files in node_modules. */
export function namesIn(files: readonly string[]): string[] {
  const names = files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)];
}

/** What is installed, and of all components those that are bundled. Throws on a bundled package that is not among them. */
export function mergedSbom(installed: Sbom, all: readonly Component[], bundled: readonly string[]): Sbom {
  const known = new Map(all.map((each) => [each.purl, each]));
  const merged = new Map(installed.components.map((each) => [each.purl, each]));
  for (const name of bundled) {
    const found = [...known.values()].filter(({ purl }) => nameOf(purl) === name);
    if (found.length === 0) throw new Error(`${name} is bundled, and not in package-lock.json`);
    for (const each of found) merged.set(each.purl, each);
  }
  // npm calls a workspace by its folder.
  const named = (each: Component) => ({ ...each, name: nameOf(each.purl) });
  const components = [...merged.values()].map(named).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    ...installed,
    metadata: { ...installed.metadata, component: named(installed.metadata.component) },
    components,
  };
}

function nameOf(purl: string): string {
  return decodeURIComponent(/^pkg:npm\/(.+)@[^@]+$/.exec(purl)?.[1] ?? purl);
}
