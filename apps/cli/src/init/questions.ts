import path from 'node:path';
import { EscapementError } from '@escapement/core';
import type { Environment } from '@escapement/service/config';
import { availableManagers, type FoundManager, findManager, type Manager, requireManager } from './manager.ts';
import { readManifest } from './manifest.ts';
import { isMonorepo, packagesOf } from './monorepo.ts';
import type { Language, Project } from './project.ts';

/** Asks a question at the terminal; undefined: there is none, or nothing shall be asked. */
export type Ask = ((question: string) => Promise<string>) | undefined;

/**
 * The folder that shall have the tasks. In the root of a monorepo, that of a package, which is asked for. Throws `monorepo_root` where nobody can
 * be asked, and `no_such_package`.
 */
export async function chooseFolder(cwd: string, named: string | undefined, ask: Ask): Promise<string> {
  const manifest = readManifest(cwd)?.value;
  if (named !== undefined) return packageNamed(cwd, named);
  if (!isMonorepo(cwd, manifest)) return cwd;
  const packages = packagesOf(cwd, manifest);
  if (ask === undefined || packages.length === 0) throw monorepoRoot(cwd, packages);
  const chosen = await choose({ question: 'Which package shall have the tasks?', choices: packages }, ask);
  return path.join(cwd, chosen);
}

function packageNamed(cwd: string, named: string): string {
  const folder = path.resolve(cwd, named);
  if (readManifest(folder) !== undefined) return folder;
  throw new EscapementError('no_such_package', `there is no package.json in ${folder}`, {
    fix: 'name the folder of a package by --package',
  });
}

function monorepoRoot(cwd: string, packages: readonly string[]): EscapementError {
  const some = packages.length === 0 ? 'it has no packages yet' : `its packages: ${packages.slice(0, 20).join(', ')}`;
  return new EscapementError('monorepo_root', `${cwd} is the root of a monorepo; ${some}`, {
    fix: `name the one that shall have the tasks: escapement init --package ${packages[0] ?? 'FOLDER'}`,
  });
}

/** What is said by an option, else by the project, else by whoever is asked; TypeScript where nobody is. */
export async function chooseLanguage({ language }: Project, named: Language | undefined, ask: Ask): Promise<Language> {
  const known = named ?? language;
  if (known !== undefined) return known;
  if (ask === undefined) return 'typescript';
  return await choose({ question: 'Which language?', choices: ['typescript', 'javascript'] as const }, ask);
}

/** As {@link chooseLanguage}; npm where nobody is asked. Throws `no_package_manager` where it is not on the PATH. */
export async function chooseManager(
  { places }: Project,
  { named, env }: { named: Manager | undefined; env: Environment },
  ask: Ask,
): Promise<Manager> {
  const found: FoundManager = (named && { name: named, because: '--package-manager' }) ??
    findManager(places, env) ?? { name: await unsaid(env, ask), because: 'nothing says which' };
  requireManager(found, env);
  return found.name;
}

async function unsaid(env: Environment, ask: Ask): Promise<Manager> {
  const there = availableManagers(env);
  if (ask === undefined || there.length < 2) return there[0] ?? 'npm';
  return await choose({ question: 'Which package manager?', choices: there }, ask);
}

/** By its number or its name; nothing is the first. Asks again where it is neither, and gives up after three answers. */
async function choose<Choice extends string>(
  { question, choices }: { question: string; choices: readonly Choice[] },
  ask: NonNullable<Ask>,
): Promise<Choice> {
  const list = choices.map((choice, index) => `  ${index + 1}  ${choice}\n`).join('');
  for (let left = 3; left > 0; left--) {
    const answer = (await ask(`${question}\n${list}1 to ${choices.length}, or its name [1]: `)).trim();
    const chosen =
      answer === '' ? choices[0] : (choices[Number(answer) - 1] ?? choices.find((choice) => choice === answer));
    if (chosen !== undefined) return chosen;
  }
  throw new EscapementError('no_choice', `${question} None of ${choices.join(', ')} was chosen`, {
    fix: 'give the command again; nothing was written',
  });
}
