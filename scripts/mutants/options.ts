import { parseArgs } from 'node:util';
import { AREAS, type Area } from './areas.ts';

export interface Options {
  /** Which mutants; the same seed draws the same from the same code. */
  seed: number;
  /** How many in all, in equal parts of each area. */
  count: number;
  /** How many of each area are left out first. */
  skip: number;
  areas: readonly Area[];
  /** Only say how many mutants there are. */
  list: boolean;
}

/** What the command line asks for. Throws an error that names the value and what is allowed. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '100' },
      skip: { type: 'string', default: '0' },
      only: { type: 'string', multiple: true, default: AREAS.map(({ name }) => name) },
      list: { type: 'boolean', default: false },
    },
  });
  return {
    seed: numberOf('--seed', values.seed, 0),
    count: numberOf('--count', values.count, 1),
    skip: numberOf('--skip', values.skip, 0),
    areas: values.only.map(areaOf),
    list: values.list,
  };
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
