import { filesIn, foldersIn } from './repository.ts';

/** Which Markdown files are pages, and where each is in the site: `docs/how-to/release.md` is `how-to/release.md`. */
export function pageOf(file: string): string | undefined {
  const named = NAMED.get(file);
  if (named !== undefined) return named;
  const [, page] = /^docs\/(.+\.md)$/.exec(file) ?? [];
  return page;
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['apps/site/index.md', 'index.md'],
  ['docs/README.md', 'documents.md'],
  ['README.md', 'readme.md'],
  ['CHANGELOG.md', 'changelog.md'],
  ['CONTRIBUTING.md', 'contributing.md'],
  ['SECURITY.md', 'security.md'],
  ['examples/README.md', 'examples.md'],
]);

/** The files of all pages. */
export function everyPage(): string[] {
  return [...NAMED.keys(), ...markdownIn('docs')].filter((file, index, all) => all.indexOf(file) === index);
}

function markdownIn(folder: string): string[] {
  return [...filesIn(folder).filter((file) => file.endsWith('.md')), ...foldersIn(folder).flatMap(markdownIn)];
}

/** Folders of the repository in which no page is: patterns for VitePress, which looks for Markdown in all of it. */
export function foldersWithoutPages(): string[] {
  const pages = ['docs', 'examples', 'apps'];
  const others = foldersIn('.').filter((folder) => !pages.includes(folder));
  const otherApps = foldersIn('apps').filter((folder) => folder !== 'apps/site');
  return [...others, ...otherApps, ...foldersIn('apps/site')].map((folder) => `${folder}/**`);
}
