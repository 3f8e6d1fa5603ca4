import type { Manifest } from './workspaces.ts';

/** The condition by which a clone takes packages from their source, which is not published. */
const SOURCE = '@escapement/source';

/**
 * The manifest of a package as it is published. That of its workspace is private, so that nobody publishes a folder that lacks what
 * is put beside its code; it has scripts, development dependencies and exports of a clone.
 *
 * @param repository Where the source is; npm asks for it where a package is published with its provenance.
 */
export function publishedManifest(
  { private: _, scripts: _scripts, devDependencies: _dev, ...rest }: Manifest,
  { folder, repository }: { folder: string; repository: string | undefined },
): Record<string, unknown> {
  const published = Object.entries(rest.exports).map(([path, target]) => [path, withoutSource(target)]);
  return {
    ...rest,
    exports: Object.fromEntries(published),
    ...(repository === undefined ? {} : { repository: { type: 'git', url: repository, directory: folder } }),
  };
}

function withoutSource(target: string | Record<string, string>): unknown {
  if (typeof target === 'string') return target;
  return Object.fromEntries(Object.entries(target).filter(([condition]) => condition !== SOURCE));
}
