import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type ESTree, parseSync } from 'vite';
import { filesBelow } from './files.ts';

/** Which files a file needs at run time, file by file: a name that an index hands on leads to the file it comes from. */
export interface ImportGraph {
  /** For each file that leads to one of these, how many steps away it is. */
  distancesTo(targets: readonly string[]): Map<string, number>;
  /** Files whose text has this word. */
  mentions(word: string): string[];
}

interface Module {
  source: string;
  imports: { from: string; names: readonly string[] }[];
  /** Names that are only handed on, with where they come from. */
  handsOn: Map<string, string>;
  /** Names of its own. */
  declares: Set<string>;
  /** Modules all of whose names it hands on. */
  stars: string[];
}

export function importGraph(root: string, folders: readonly string[]): ImportGraph {
  const modules = new Map<string, Module>();
  for (const folder of folders) {
    for (const file of filesBelow(root, folder)) {
      if (file.endsWith('.ts')) modules.set(file, read(root, file));
    }
  }
  const importers = new Map<string, Set<string>>();
  for (const [file, { imports }] of modules) {
    for (const { from, names } of imports) {
      for (const target of targetsOf(modules, from, names)) {
        const known = importers.get(target) ?? new Set();
        importers.set(target, known.add(file));
      }
    }
  }
  return {
    distancesTo: (targets) => distances(importers, targets),
    mentions: (word) => {
      const pattern = new RegExp(`\\b${word}\\b`);
      return [...modules].filter(([, { source }]) => pattern.test(source)).map(([file]) => file);
    },
  };
}

function distances(importers: ReadonlyMap<string, ReadonlySet<string>>, targets: readonly string[]) {
  const found = new Map(targets.map((file) => [file, 0]));
  // A map goes on with what is added while it is walked.
  for (const [file, steps] of found) {
    for (const importer of importers.get(file) ?? []) if (!found.has(importer)) found.set(importer, steps + 1);
  }
  return found;
}

/** Where the names really come from; all of a module for one that is imported whole. */
function targetsOf(modules: ReadonlyMap<string, Module>, from: string, names: readonly string[]): string[] {
  const module = modules.get(from);
  if (!module) return [from];
  if (names.length === 0) return [from];
  return names.flatMap((name) => {
    // What an index hands on is imported with it.
    if (name === '*') return [from, ...module.handsOn.values(), ...module.stars];
    const origin = module.handsOn.get(name);
    if (origin !== undefined) return targetsOf(modules, origin, [name]);
    const star = module.stars.find((each) => modules.get(each)?.declares.has(name));
    return star === undefined ? [from] : [star];
  });
}

function read(root: string, file: string): Module {
  const source = readFileSync(path.join(root, file), 'utf8');
  const module: Module = { source, imports: [], handsOn: new Map(), declares: new Set(), stars: [] };
  for (const node of parseSync(file, source).program.body) note(root, file, node, module);
  // What is started as a thread or a process of its own.
  for (const [, name] of source.matchAll(/new URL\('(\.\/[\w-]+)\.ts'/g))
    module.imports.push({ from: path.join(path.dirname(file), `${name}.ts`), names: [] });
  // What is loaded only when it is needed.
  for (const [, name = ''] of source.matchAll(/\bimport\('(\.[\w./-]+\.ts)'\)/g))
    module.imports.push({ from: path.join(path.dirname(file), name), names: [] });
  return module;
}

function note(root: string, file: string, node: ESTree.Program['body'][number], module: Module): void {
  if (node.type === 'ImportDeclaration' && node.importKind !== 'type') {
    const from = resolve(root, file, node.source.value);
    const names = node.specifiers.map((one) =>
      one.type === 'ImportSpecifier' && one.imported.type === 'Identifier' ? one.imported.name : '*',
    );
    if (from) module.imports.push({ from, names });
  }
  if (node.type === 'ExportNamedDeclaration') noteExport(root, file, node, module);
  if (node.type === 'ExportAllDeclaration') {
    const from = resolve(root, file, node.source.value);
    if (from) module.stars.push(from);
  }
}

function noteExport(root: string, file: string, node: ESTree.ExportNamedDeclaration, module: Module): void {
  const { declaration } = node;
  if (declaration && 'id' in declaration && declaration.id?.type === 'Identifier')
    module.declares.add(declaration.id.name);
  if (declaration?.type === 'VariableDeclaration')
    for (const { id } of declaration.declarations) if (id.type === 'Identifier') module.declares.add(id.name);
  if (!node.source || node.exportKind === 'type') return;
  const from = resolve(root, file, node.source.value);
  for (const { exported } of node.specifiers)
    if (from && exported.type === 'Identifier') module.handsOn.set(exported.name, from);
}

/** The file of ours that an import leads to. */
function resolve(root: string, file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return path.join(path.dirname(file), specifier);
  const [scope, name, ...rest] = specifier.split('/');
  if (scope !== '@escapement') return undefined;
  const entry = `packages/${name}/src/${rest.join('/') || 'index'}.ts`;
  return existsSync(path.join(root, entry)) ? entry : undefined;
}
