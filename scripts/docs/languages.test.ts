import { execFileSync } from 'node:child_process';
import { handlerSpec, taskDefinition } from '@escapement/core';
import { alertingSpec } from '@escapement/core/alerts';
import { calendarSpec } from '@escapement/core/schedule';
import { readCrontab } from '@escapement/formats';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { allBlocks, placeOf, typedLines } from './blocks.ts';

/** What the language of a block says that it is, and what a test does with it. */
const KINDS: Readonly<Record<string, string>> = {
  sh: 'commands: read by a shell, and each escapement by the program (apps/cli/src/docs-commands.test.ts)',
  console: 'commands after "$ ", read in the same way, and what they print',
  text: 'what is printed, or a form of words: nothing to run',
  ts: 'checked by the compiler against the packages (test/docs-typescript.test.ts)',
  js: 'run by the test of what it computes (packages/scheduler/src/alerts/receivers/signature.test.ts)',
  json: 'read, and by the product where it is for the product: below',
  yaml: 'read, and by the product where it is for the product: below',
  crontab: 'read by the import of crontabs: below',
  sql: 'carried out on Postgres (test/docs-data.test.ts)',
  ini: 'read by systemd (test/docs-data.test.ts)',
  mermaid: 'drawn by a browser (apps/site/test/site.long.test.ts)',
};

const blocks = allBlocks();
const ofKind = (...languages: string[]) =>
  blocks.filter(({ language }) => languages.includes(language)).map((block) => ({ place: placeOf(block), block }));

test('each block says by its language what it is', () => {
  const unknown = blocks.filter(({ language }) => !Object.hasOwn(KINDS, language));
  expect(unknown.map((block) => `${placeOf(block)} is "${block.language}"`)).toEqual([]);
});

test.each(ofKind('sh', 'console'))('$place has commands, and a shell can read them', ({ block }) => {
  expect(typedLines(block).length).toBeGreaterThan(0);
  if (block.language === 'console') expect(block.text).toMatch(/^\$ /);
  for (const line of block.language === 'sh' ? [block.text] : typedLines(block))
    execFileSync('sh', ['-n'], { input: `${line}\n`, stdio: ['pipe', 'ignore', 'pipe'] });
});

/** Who reads a block of data: by what it begins with, in this document. A block that is not here has no reader. */
const READERS: readonly { file: string; begins: string; read: (value: unknown) => unknown }[] = [
  { file: 'docs/reference/alerts.md', begins: 'rules:', read: (value) => alertingSpec.parse(value) },
  { file: 'docs/reference/cli.md', begins: '# yaml-language-server', read: eachTask },
  { file: 'docs/reference/following-runs.md', begins: 'name: import', read: (value) => taskDefinition.parse(value) },
  { file: 'docs/reference/handlers.md', begins: '{ "type":', read: (value) => handlerSpec.parse(value) },
  { file: 'docs/reference/schedules.md', begins: '{', read: (value) => calendarSpec.parse(value) },
  { file: 'docs/reference/run-on.md', begins: 'name: rotate-logs', read: (value) => taskDefinition.parse(value) },
  {
    file: 'docs/how-to/be-told-when-a-backup-did-not-run.md',
    begins: 'rules:',
    read: (value) => alertingSpec.parse(value),
  },
  // What the product writes, and what others read.
  { file: 'docs/how-to/use-with-an-assistant.md', begins: '{', read: (value) => value },
  { file: 'docs/reference/alerts.md', begins: '{', read: (value) => value },
  { file: 'docs/reference/api.md', begins: '[{ "set"', read: (value) => value },
  { file: 'docs/reference/api.md', begins: '{', read: (value) => value },
  { file: 'docs/reference/following-runs.md', begins: '{', read: (value) => value },
  { file: 'docs/reference/handlers.md', begins: '{ "output":', read: (value) => value },
  { file: 'docs/reference/operations.md', begins: '{', read: (value) => value },
];

function eachTask(value: unknown): unknown {
  const { tasks } = Object(value);
  return tasks.map((task: unknown) => taskDefinition.parse(task));
}

test.each(ofKind('json', 'yaml'))('$place is data that its reader takes', ({ block }) => {
  const value: unknown = block.language === 'json' ? JSON.parse(block.text) : parse(block.text);
  const reader = READERS.find(({ file, begins }) => file === block.file && block.text.startsWith(begins));
  expect(reader?.read(value)).toBeDefined();
});

test.each(ofKind('crontab'))('$place is a line of a crontab', ({ block }) => {
  const system = / root /.test(block.text);
  const { tasks, bad } = readCrontab(`${block.text}\n`, {
    system,
    name: 'docs',
    timeZone: 'UTC',
    timeZoneFrom: '--tz',
  });
  expect(bad).toEqual([]);
  expect(tasks).toHaveLength(1);
});

test('there are blocks of each kind', () => {
  expect(Object.keys(KINDS).filter((kind) => ofKind(kind).length === 0)).toEqual([]);
});
