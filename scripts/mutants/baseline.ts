import { isPure } from './files.ts';
import type { Session } from './session.ts';

/** What is taken for a file of tests that has not run yet: with servers, and a pure one. Milliseconds. */
const UNKNOWN_MS = 10_000;
const UNKNOWN_PURE_MS = 500;

const unknownMs = (file: string) => (isPure(file) ? UNKNOWN_PURE_MS : UNKNOWN_MS);

/** What files of tests say without any mutant: only those that are green can find one. */
export interface Baseline {
  /** Whether one is known to be red. */
  isRed(file: string): boolean;
  /** Runs these, but those that have been run already: without any mutant. Returns whether all of them are green. */
  areGreen(files: readonly string[]): Promise<boolean>;
  /** Has these run again when they are next asked for: a machine that others use is not always as fast. */
  forget(files: readonly string[]): void;
  /** How long these take in all, as far as that is known. Milliseconds. */
  usualMs(files: readonly string[]): number;
}

/** Runs only the files that seem to have found a mutant: the others need not be known. */
export function createBaseline(session: Session, report: (line: string) => void): Baseline {
  const times = new Map<string, number>();
  const red = new Set<string>();
  return {
    isRed: (file) => red.has(file),
    async areGreen(files) {
      const unknown = files.filter((file) => !times.has(file));
      if (unknown.length > 0) {
        const said = await session.run(unknown);
        for (const file of unknown) times.set(file, said.times.get(file) ?? unknownMs(file));
        for (const file of said.failed) red.add(file);
        for (const failure of said.failures) report(`red without any mutant, and left out: ${failure}`);
      }
      return !files.some((file) => red.has(file));
    },
    forget(files) {
      for (const file of files) times.delete(file);
    },
    usualMs: (files) => files.reduce((sum, file) => sum + (times.get(file) ?? unknownMs(file)), 0),
  };
}
