import path from 'node:path';
import { defineConfig } from 'vitepress';
import { writeCopies } from '../src/copies.ts';
import { markdown } from '../src/markdown.ts';
import { barOf, groupsOf, sidebarOf, titleIn } from '../src/navigation.ts';
import { everyPage, foldersWithoutPages, pageOf } from '../src/pages.ts';
import { read, root } from '../src/repository.ts';

const dist = path.join(root, 'apps/site/dist');
const copies = path.join(dist, 'copies');
const groups = groupsOf(read('docs/README.md'), (file) => titleIn(read(file)));

writeCopies(copies, everyPage());

export default defineConfig({
  title: 'Escapement',
  description: 'The cron replacement for fleets: every occurrence accounted for.',
  lang: 'en',
  head: [
    [
      'link',
      { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(read('apps/dashboard/public/favicon.svg'))}` },
    ],
  ],
  // Links are relative: the files may lie under any path of any server.
  base: './',
  srcDir: root,
  srcExclude: foldersWithoutPages(),
  rewrites: (file) => pageOf(file) ?? file,
  outDir: path.join(dist, 'site'),
  cacheDir: path.join(dist, 'cache'),
  markdown,
  vite: { publicDir: copies },
  themeConfig: {
    nav: barOf(groups),
    sidebar: sidebarOf(groups),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    docFooter: { prev: 'Before', next: 'Next' },
  },
});
