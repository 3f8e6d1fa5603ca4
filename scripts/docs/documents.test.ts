import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { legalMoves, RUN_STATES } from '@escapement/core';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../process.mjs';
import { anchorOf } from './anchor.ts';

const documents = [...filesIn('.', 1), ...filesIn('docs'), ...filesIn('examples'), 'apps/site/index.md'].filter(
  (file) => file.endsWith('.md'),
);

function filesIn(folder: string, depth = Number.POSITIVE_INFINITY): string[] {
  const names = readdirSync(path.join(root, folder), { recursive: depth > 1, encoding: 'utf8' });
  return names.map((name) => path.join(folder, name));
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** What is told to people at run time: fixes, what to do next. */
const sources = ['apps', 'packages'].flatMap((folder) =>
  filesIn(folder).filter((file) => /\/src\/.*\.ts$/.test(file) && !/\/(generated|dist|node_modules)\//.test(file)),
);

/** The words of the command line: groups and commands. */
const commands = new Set([
  ...finds(read('apps/cli/src/commands.ts'), /\bname: '([a-z-]+)'/g),
  ...filesIn('apps/cli/src/commands').flatMap((file) => finds(read(file), /\.command\('([a-z0-9-]+)'\)/g)),
]);

/** What a pattern's first group finds in a text. */
function finds(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, found]) => found ?? []);
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  return finds(read(file), /^#+ (.+)$/gm).map(anchorOf);
}

function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? from : path.join(path.dirname(from), file);
  if (!existsSync(path.join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

test.each(documents)('each link of %s leads to a file and heading that exist', (file) => {
  const links = finds(read(file), /\]\(([^)\s]+)\)/g).filter((link) => !/^[a-z]+:/.test(link));
  expect(links.filter((link) => !leadsSomewhere(file, link))).toEqual([]);
});

test.each(documents)('each `npm run ...` of %s is a script', (file) => {
  const names = finds(read(file), /\bnpm run ([a-z][a-z:-]*)/g);
  expect(names.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
});

test.each([...documents, ...sources])('each `escapement ...` of %s is a command', (file) => {
  const words = finds(
    // Messages list commands as they are.
    file.endsWith('message-of.ts') ? read(file).replaceAll("'", '`') : read(file),
    /(?:(?:`|npx |\$ |^)escapement|compose run --rm cli) ([a-z][a-z-]*(?: [a-z][a-z0-9]*(?:\|[a-z]+)*)?)/gm,
  );
  const named = words.flatMap((text) =>
    text.split(/[ |]/).slice(0, /^(next|what-if|start) /.test(text) ? 1 : undefined),
  );
  expect(named.filter((word) => !commands.has(word))).toEqual([]);
});

test('each command and option of the command line is in cli.md, crontab.md, other-schedulers.md or rights.md', () => {
  const sources = filesIn('apps/cli/src/commands').map(read).join('\n');
  const documented = ['cli', 'crontab', 'other-schedulers', 'rights']
    .map((page) => read(`docs/reference/${page}.md`))
    .join('\n');
  const commands = finds(sources, /\.command\('([a-z0-9-]+)'\)/g).filter(
    (name) => !new RegExp(`\\b${name}\\b`).test(documented),
  );
  const options = finds(sources, /ption\(\s*'(?:-[a-z], )?(--[a-z-]+)/g).filter((name) => !documented.includes(name));
  expect([...commands, ...options]).toEqual([]);
});

/** A block of code that says which file it is. */
const EXAMPLE = /^<!-- (\S+\.ts) -->\n```ts\n([\s\S]*?)^```$/gm;

test('each example of docs/how-to/test-tasks.md is a file that is run with the tests', () => {
  const examples = [...read('docs/how-to/test-tasks.md').matchAll(EXAMPLE)].map(([, file = '', text]) => ({
    file,
    text,
  }));
  expect(examples).toEqual(examples.map(({ file }) => ({ file, text: read(file) })));
  expect(finds(read('docs/how-to/test-tasks.md'), /^(```ts)$/gm)).toHaveLength(examples.length);
  expect(examples.length).toBeGreaterThan(5);
});

test('the diagram of states shows the legal moves, and no other', () => {
  const drawn = finds(read('docs/explanation/architecture.md'), /^ {2}([a-z_]+ --> [a-z_]+)$/gm).filter((move) =>
    RUN_STATES.some((state) => move.startsWith(`${state} `)),
  );
  const legal = RUN_STATES.flatMap((from) => legalMoves(from).map((to) => `${from} --> ${to}`));
  expect(drawn.sort()).toEqual(legal.sort());
});

test('the table of states in the architecture names each of them', () => {
  const rows = finds(read('docs/explanation/architecture.md'), /^\| (`.+?) \|/gm).join(' ');
  expect(RUN_STATES.filter((state) => !rows.includes(`\`${state}\``))).toEqual([]);
});

test('the architecture names each table of the schema', () => {
  const tables = finds(read('prisma/schema.prisma'), /^ {2}@@map\("(\w+)"\)$/gm);
  const rows = finds(read('docs/explanation/architecture.md'), /^\| (`.+?) \|/gm).join(' ');
  expect(tables.length).toBeGreaterThan(20);
  expect(tables.filter((table) => !rows.includes(`\`${table}\``))).toEqual([]);
});

test('the architecture names each loop that a process runs', () => {
  const sources = ['scheduler', 'worker', 'runtime', 'service'].flatMap((name) => filesIn(`packages/${name}/src`));
  const code = sources.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).map(read);
  const loops = finds(code.join('\n'), /createLoop\(\{\s*name: '([a-z -]+)'/g).map((name) => name.replaceAll('-', ' '));
  const services = finds(read('docs/explanation/architecture.md'), /^\| (?:[a-z]+ )?\| ([a-z' -]+) \|/gm);
  const named = services.map((name) => name.replaceAll('-', ' '));
  expect(loops.length).toBeGreaterThan(10);
  expect(loops.filter((loop) => !named.includes(loop))).toEqual([]);
});

test('the list of documents names each decision and each page', () => {
  const listed = finds(read('docs/README.md'), /\]\(([^)\s]+)\)/g);
  const pages = filesIn('docs').filter((file) => file.endsWith('.md') && file !== 'docs/README.md');
  expect(pages.filter((file) => !listed.includes(path.relative('docs', file)))).toEqual([]);
});

test('each test that attacks.md names is there', () => {
  const named = [...read('docs/explanation/attacks.md').matchAll(/`(\S+\.test\.ts)`: ([^|]+?) \|/g)];
  expect(named.length).toBeGreaterThan(30);
  for (const [, file = '', title = ''] of named)
    expect({ file, text: read(file) }).toMatchObject({ file, text: expect.stringContaining(title) });
});
