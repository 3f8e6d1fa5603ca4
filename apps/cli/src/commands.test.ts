import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { bundle } from '../bundle/up-to-date.js';
import manifest from '../package.json' with { type: 'json' };
import { silentContext } from '../test/silent-context.ts';
import { addCommands, COMMANDS, type Group, type Piece } from './commands.ts';

async function added(...args: string[]): Promise<Command> {
  const program = new Command('escapement');
  await addCommands(program, args, silentContext, () => {});
  return program;
}

const namesOf = ({ commands }: Command) => commands.map((command) => command.name());
const namesIn = (entries: readonly (Piece | Group)[]) =>
  entries.flatMap((entry) => ('names' in entry ? entry.names : [entry.name]));

test('each module adds the commands under whose names it is loaded', async () => {
  const program = await added();
  expect(namesOf(program)).toEqual(namesIn(COMMANDS));
  for (const entry of COMMANDS) {
    if (!('pieces' in entry)) continue;
    const group = program.commands.find((command) => command.name() === entry.name);
    expect(group && namesOf(group)).toEqual(namesIn(entry.pieces));
  }
});

test.each([
  [['tasks', 'list', '--pool', 'runs'], ['tasks'], ['list']],
  [['-o', 'json', 'tasks', 'pause'], ['tasks'], ['pause', 'resume', 'delete']],
  [['next', '* * * * *'], ['next'], []],
  [['unfreeze'], ['freeze', 'unfreeze'], []],
  [['--version'], [], []],
])('%j loads no other command', async (args, names, subnames) => {
  const program = await added(...args);
  expect(namesOf(program)).toEqual(names);
  expect(program.commands.flatMap(namesOf)).toEqual(subnames);
});

test.each([[['taks', 'list']], [['help', 'tasks']], [['--help']], [[]]])('%j knows all commands', async (args) => {
  expect(namesOf(await added(...args))).toEqual(namesIn(COMMANDS));
});

test('a wrong word below a group knows what is there', async () => {
  const { commands } = await added('tasks', 'lst');
  expect(commands.flatMap(namesOf)).toContain('list');
});

test('what every command loads is commander and little else; a list loads no reader of YAML, and no client of Redis', async () => {
  const { metafile } = await bundle();
  const outputs = new Map(Object.entries(metafile.outputs).map(([file, output]) => [basename(file), output]));
  const loadedBy = (name: string, seen = new Set<string>()): Set<string> => {
    const output = outputs.get(name);
    if (!output || seen.has(name)) return seen;
    seen.add(name);
    for (const { path, kind, external } of output.imports)
      if (kind === 'import-statement') external ? seen.add(path) : loadedBy(basename(path), seen);
    return seen;
  };
  const start = (part: string) => [...outputs.keys()].find((name) => name.startsWith(`${part}-`)) ?? part;
  const kilobytes = (files: Set<string>) =>
    [...files].reduce((sum, file) => sum + (outputs.get(file)?.bytes ?? 0), 0) / 1000;
  expect(kilobytes(loadedBy(start('main')))).toBeLessThan(250);
  // The help of all commands loads each of them: the SDK of the protocol comes when `mcp` is carried out.
  for (const command of ['task-list', 'runs', 'tasks', 'mcp']) {
    const files = loadedBy(start(command));
    const inputs = [...files].flatMap((file) => Object.keys(outputs.get(file)?.inputs ?? {}));
    expect(inputs.filter((file) => /node_modules\/(yaml|nodemailer|pino|@modelcontextprotocol)\//.test(file))).toEqual(
      [],
    );
    expect([...files].filter((file) => /^(ioredis|bullmq)$/.test(file))).toEqual([]);
  }
});

test('what the bundle leaves out is a dependency of the package', async () => {
  const { metafile } = await bundle();
  const imports = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  const outside = new Set(imports.filter(({ external }) => external).map(({ path }) => path));
  expect([...outside].filter((path) => !isBuiltin(path)).toSorted()).toEqual(['ioredis', 'pg']);
  expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining(['ioredis', 'pg']));
});

test('no source takes a package by a dynamic import: the bundle could not give names to what is CommonJS', async () => {
  const { metafile } = await bundle();
  const taken = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ kind, path }) => kind === 'dynamic-import' && path.includes('node_modules/'))
      .map(({ path }) => `${file} takes ${path}`),
  );
  expect(taken.filter((line) => !line.startsWith('node_modules/'))).toEqual([]);
});
