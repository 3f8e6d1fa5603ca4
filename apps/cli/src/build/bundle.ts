import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EscapementError } from '@escapement/core';
import type { BuildResult, Message, Metafile } from 'esbuild';
import { externalPackages } from './externals.ts';

/** The bundler that `escapement init` adds, and that this is tested with. */
export const ESBUILD = '0.28.2';

/** In pieces: the bundler of this very program puts a place of its own where it stands in one. */
const HERE = ['import', 'meta', 'url'].join('.');
/** CommonJS requires modules of Node, and external packages. */
const REQUIRE = `import { createRequire as escapementRequire } from 'node:module'; const require = escapementRequire(${HERE});`;

export interface BundleOptions {
  /** Of the project. */
  root: string;
  /** Where the modules are written. */
  out: string;
  /** Absolute paths of the modules of tasks, by what they are called in the build, without an end. */
  entries: Readonly<Record<string, string>>;
  external: readonly string[];
}

export interface Bundled {
  files: readonly { path: string; contents: Uint8Array }[];
  metafile: Metafile;
}

/** The modules of tasks with all that they import. Throws `no_bundler`, and `build_failed` with each error's file and line. */
export async function bundle({ root, out, entries, external }: BundleOptions): Promise<Bundled> {
  const { build } = await loadBundler(root);
  const result = await build({
    entryPoints: { ...entries },
    absWorkingDir: root,
    outdir: out,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    keepNames: true,
    banner: { js: REQUIRE },
    plugins: [externalPackages(external)],
    metafile: true,
    write: false,
    logLevel: 'silent',
  }).catch((error: unknown) => {
    throw asProblem(error);
  });
  return { files: withPlainSources(result.outputFiles, { root, out }), metafile: result.metafile };
}

async function loadBundler(root: string): Promise<typeof import('esbuild')> {
  try {
    const found = createRequire(path.join(root, 'package.json')).resolve('esbuild');
    const { default: loaded, ...named } = await import(pathToFileURL(found).href);
    return loaded ?? named;
  } catch (cause) {
    throw new EscapementError('no_bundler', `esbuild, which makes the build, is not installed in ${root}`, {
      cause,
      fix: `npm install --save-dev esbuild@${ESBUILD}`,
    });
  }
}

function asProblem(error: unknown): unknown {
  if (!(error instanceof Error) || !('errors' in error) || !Array.isArray(error.errors)) return error;
  const lines = error.errors.map((each: Message) => `  ${lineOf(each)}`);
  const count = lines.length === 1 ? '1 error' : `${lines.length} errors`;
  return new EscapementError('build_failed', `the tasks cannot be bundled, ${count}:\n${lines.join('\n')}`, {
    cause: error,
    fix: 'mend the sources; the build that was there before is unchanged',
  });
}

function lineOf({ text, location }: Message): string {
  if (location === null) return text;
  return `${location.file}:${location.line}:${location.column + 1}: ${text}\n      ${location.lineText.trim()}`;
}

/** A stack then names each source by its place in the project, below the folder of the build, wherever that lies. */
function withPlainSources(
  files: NonNullable<BuildResult['outputFiles']>,
  { root, out }: { root: string; out: string },
): Bundled['files'] {
  return files.map(({ path: file, contents, text }) => {
    if (!file.endsWith('.map')) return { path: file, contents };
    const map: { sources: string[] } = JSON.parse(text);
    const folder = path.dirname(file);
    const sources = map.sources.map((source) => {
      const inProject = path.relative(root, path.resolve(folder, source)).replaceAll('../', '');
      return path.relative(folder, path.join(out, inProject));
    });
    return { path: file, contents: Buffer.from(JSON.stringify({ ...map, sources })) };
  });
}
