import { filesBelow, isTest } from './files.ts';

/** The second implementation that tests compare with; and of schedules the words and the advice, which decide nothing. */
const LEFT_OUT = /\/schedule\/(?:oracle|explain|lint)\//;

/** Files that belong together, in which faults are put. */
export interface Area {
  name: string;
  /** Folders, or beginnings of the paths of files. */
  parts: readonly string[];
  /** The percentage of mutants that tests have to find. */
  percent: number;
}

export const AREAS: readonly Area[] = [
  { name: 'core', parts: ['verdict.ts', 'plan/', 'schedule/'].map((part) => `packages/core/src/${part}`), percent: 95 },
  { name: 'queue', parts: ['packages/queue/src/lease/'], percent: 95 },
  { name: 'scheduler', parts: ['packages/scheduler/src/reconciler/'], percent: 95 },
  {
    name: 'store',
    parts: [
      'prisma/functions/',
      ...['runs', 'reconcile', 'rates', 'keys', 'followers', 'batches', 'lists', 'tasks', 'calls', 'processes'].map(
        (folder) => `packages/store/src/${folder}/`,
      ),
    ],
    percent: 95,
  },
];

export function filesOf(root: string, { parts }: Area): string[] {
  const all = [...filesBelow(root, 'packages'), ...filesBelow(root, 'prisma/functions')];
  const isPart = (file: string) => parts.some((part) => file.startsWith(part));
  return all.filter((file) => isPart(file) && /\.(ts|sql)$/.test(file) && !isTest(file) && !LEFT_OUT.test(file));
}
