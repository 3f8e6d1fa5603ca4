import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { AREAS, type Area, filesOf } from './areas.ts';
import { isTest } from './files.ts';

export interface Options {
  /** Which mutants; the same seed draws the same from the same code. */
  seed: number;
  /** How many in all, in equal parts of each area. */
  count: number;
  /** How many of each area are left out first. */
  skip: number;
  areas: readonly Area[];
  /** Only those of this file of one of the areas, all of them in their order; with a line, those of this line. */
  file: { path: string; line: number | undefined } | undefined;
  /** They are judged by these files of tests alone; undefined: by all that reach them. */
  tests: readonly string[] | undefined;
  /** Only say how many mutants there are. */
  list: boolean;
}

/** What the command line asks for of the code at `root`. Throws an error that names the value and what is allowed. */
export function readOptions(args: readonly string[], root: string): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '100' },
      skip: { type: 'string', default: '0' },
      only: { type: 'string', multiple: true, default: AREAS.map(({ name }) => name) },
      file: { type: 'string' },
      tests: { type: 'string', multiple: true },
      list: { type: 'boolean', default: false },
    },
  });
  const file = values.file === undefined ? undefined : fileOf(values.file);
  return {
    seed: numberOf('--seed', values.seed, 0),
    count: numberOf('--count', values.count, 1),
    skip: numberOf('--skip', values.skip, 0),
    areas: file ? [areaWith(file.path, root)] : values.only.map(areaOf),
    file,
    tests: values.tests?.map((test) => testAt(test, root)),
    list: values.list,
  };
}

function fileOf(text: string): { path: string; line: number | undefined } {
  const [, file = '', line] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return { path: file, line: line === undefined ? undefined : Number(line) };
}

function areaWith(file: string, root: string): Area {
  const area = AREAS.find((each) => filesOf(root, each).includes(file));
  if (area) return area;
  throw new Error(
    `--file is "${file}": give a file of an area, from the root of the repository; faults are put into no other`,
  );
}

function testAt(file: string, root: string): string {
  if (isTest(file) && existsSync(path.join(root, file))) return file;
  throw new Error(`--tests is "${file}": give a file of tests, from the root of the repository`);
}

function numberOf(option: string, text: string, least: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`${option} is "${text}": give a whole number, ${least} or more`);
}

function areaOf(name: string): Area {
  const area = AREAS.find((each) => each.name === name);
  if (area) return area;
  throw new Error(`--only is "${name}": give ${AREAS.map((each) => each.name).join(', ')}`);
}
