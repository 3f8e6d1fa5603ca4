import path from 'node:path';
import { pageOf } from './pages.ts';

export interface Entry {
  text: string;
  link: string;
}

export interface Group {
  text: string;
  items: Entry[];
}

const LIST = 'docs/README.md';
/** Decisions are many, and are looked up one at a time. */
const DECISIONS = 'Decisions';

/** What the list of documents names, in its order: what is named before the first heading, one group for each heading with a table, and what is named beside tables. */
export function groupsOf(list: string, titleOf: (file: string) => string): Group[] {
  const [first = '', ...sections] = list.split(/^## /m);
  const tables = sections.map((section) => ({
    text: section.split('\n', 1)[0] ?? '',
    items: entriesIn(rowsOf(section), titleOf),
  }));
  const [decisions, others] = [tables.filter(isDecisions), tables.filter((group) => !isDecisions(group))];
  return [
    { text: 'Start', items: entriesIn(first, titleOf) },
    ...others,
    { text: 'Project', items: sections.flatMap((section) => entriesIn(besideRows(section), titleOf)) },
    ...decisions,
  ];
}

/** The sidebar. */
export function sidebarOf(groups: readonly Group[]): (Group & { collapsed: boolean })[] {
  return groups.map((group) => ({ ...group, collapsed: isDecisions(group) }));
}

/** The bar at the top: each group by its first page. */
export function barOf(groups: readonly Group[]): (Entry & { activeMatch: string })[] {
  return groups.flatMap(({ text, items: [first] }) => {
    if (first === undefined) return [];
    const folder = path.posix.dirname(first.link);
    return [{ text, link: first.link, activeMatch: folder === '/' ? `^${first.link}` : `^${folder}/` }];
  });
}

function isDecisions({ text }: Group): boolean {
  return text === DECISIONS;
}

function entriesIn(text: string, titleOf: (file: string) => string): Entry[] {
  return [...text.matchAll(/\]\(([^)#\s]+)\)/g)].flatMap(([, link = '']) => {
    const file = path.posix.join(path.posix.dirname(LIST), link);
    const page = pageOf(file);
    return page === undefined ? [] : [{ text: titleOf(file), link: `/${page.replace(/\.md$/, '')}` }];
  });
}

const isRow = (line: string) => line.startsWith('|');

function rowsOf(section: string): string {
  return section.split('\n').filter(isRow).join('\n');
}

function besideRows(section: string): string {
  return section
    .split('\n')
    .filter((line) => !isRow(line))
    .join('\n');
}

/** The heading of a page, short enough for a list. */
export function titleIn(text: string): string {
  const [, heading = ''] = /^# (.+)$/m.exec(text) ?? [];
  const short = heading.replace(/^How to /, '');
  return `${short.charAt(0).toUpperCase()}${short.slice(1)}`;
}
