import path from 'node:path';
import { pageOf } from './pages.ts';

/** Where the files of the repository are in the site to which pages link. */
const FILES = '/files';

/**
 * A link of a Markdown file as the site has it: to the page, or to a copy of the file of the repository. Links to other
 * hosts, and within the page, stay as they are.
 *
 * @param from the file with the link, from the root of the repository
 */
export function siteLink(from: string, link: string): string {
  if (isElsewhere(link)) return link;
  const [, anchor] = link.split('#');
  const target = targetOf(from, link);
  const page = pageOf(target);
  return `${page === undefined ? copyOf(target) : `/${page}`}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The files and folders of the repository that a Markdown file links to, and that are no pages. */
export function linkedFiles(from: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => link ?? []);
  const targets = links.filter((link) => !isElsewhere(link)).map((link) => targetOf(from, link));
  return targets.filter((target) => pageOf(target) === undefined);
}

/** The copy of a file or folder. Servers know what JSON is; everything else is text to be read. */
export function copyOf(file: string): string {
  return `${FILES}/${file}${file.endsWith('.json') ? '' : '.txt'}`;
}

function isElsewhere(link: string): boolean {
  return link.startsWith('#') || link.startsWith('/') || /^[a-z]+:/.test(link);
}

function targetOf(from: string, link: string): string {
  const [file = ''] = link.split('#');
  return path.posix.join(path.posix.dirname(from), file);
}
