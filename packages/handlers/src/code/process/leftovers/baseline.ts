import { natives } from '../natives.ts';
import { Builtins } from './builtins.ts';
import {
  type Counts,
  keptThings,
  LISTENER,
  moreThan,
  signature,
  watchChildren,
  watchIntervals,
  workUnderWay,
} from './resources.ts';
import { SurroundingsWatch } from './surroundings.ts';

/**
 * What becomes of a process after a run that left something. `spent`: no other run comes into it. `settling`: what was left
 * may end by itself soon. `kept`: the next run may come.
 */
export type Fate = 'spent' | 'settling' | 'kept';

/** What a run has left behind in its process, in words. */
export interface Leftovers {
  fate: Fate;
  what: string[];
  /** Something of it stays, for the next run of its task: no other task may come. */
  owned: boolean;
}

/** Sockets that were closed, and files, are gone some turns of the loop later. Milliseconds. */
const CLOSING_MS = 10;

/**
 * How a process should be between two runs. What the import of a module changes belongs to its task, and so does what a
 * run of it keeps for the next one, once: a connection, a listener, a global. Everything else is left behind.
 */
export class Baseline {
  readonly #builtins: Builtins;
  readonly #surroundings: SurroundingsWatch;
  #work = workUnderWay();
  #kept = keptThings();
  #signature = signature();
  /** A task has its things here. */
  #isOwned = false;

  constructor() {
    watchIntervals();
    watchChildren();
    this.#builtins = new Builtins();
    this.#surroundings = new SurroundingsWatch();
  }

  /** Puts the objects of JavaScript back, so that this program can go on. Returns what was changed. */
  restoreBuiltins(): string[] {
    const changed = this.#builtins.changed();
    if (changed.length > 0) this.#builtins.restore();
    return changed;
  }

  /** After the import of a module. True: it has changed something, so the process is for its task alone. */
  adoptImport(): boolean {
    const [work, kept] = [workUnderWay(), keptThings()];
    const changes = [
      ...this.#builtins.changed(),
      ...this.#surroundings.changed(),
      ...moreThan(this.#work, work),
      ...moreThan(this.#kept, kept),
      ...lost(this.#kept, kept),
    ];
    if (changes.length === 0) return false;
    this.#builtins.adopt();
    this.#surroundings.adopt();
    this.#work = work;
    this.#kept = kept;
    this.#signature = signature();
    return true;
  }

  /** What the run that ends has left. `builtins`: what `restoreBuiltins` found. */
  async leftBy(builtins: readonly string[]): Promise<Leftovers | undefined> {
    const left = this.#judge(builtins);
    if (!left) return undefined;
    await new Promise((resolve) => natives.setImmediate(() => natives.setImmediate(resolve)));
    if (this.#judge(builtins)) await new Promise((resolve) => natives.setTimeout(resolve, CLOSING_MS));
    const stays = this.#judge(builtins);
    if (stays?.owned) this.#own();
    return stays;
  }

  /** Whether nothing of a run is at work any more. */
  hasSettled(): boolean {
    return moreThan(this.#work, workUnderWay()).length === 0;
  }

  #own(): void {
    this.#isOwned = true;
    this.#kept = keptThings();
    this.#signature = signature();
  }

  #judge(builtins: readonly string[]): Leftovers | undefined {
    const surroundings = this.#surroundings.changed();
    if (surroundings.length === 0 && builtins.length === 0 && signature() === this.#signature) return undefined;
    const [nowKept, nowWork] = [keptThings(), workUnderWay()];
    const kept = moreThan(this.#kept, nowKept);
    const work = moreThan(this.#work, nowWork);
    const changed = [...builtins, ...surroundings, ...lost(this.#kept, nowKept)];
    const what = [...changed, ...work, ...kept];
    if (what.length === 0) return undefined;
    if (changed.length > 0 || (this.#isOwned && kept.length > 0)) return { fate: 'spent', what, owned: false };
    return { fate: work.length > 0 ? 'settling' : 'kept', what, owned: kept.length > 0 };
  }
}

/** Listeners that are there no more: without those of this program a process hears nothing. */
function lost(before: Counts, now: Counts): string[] {
  return [...before].flatMap(([name, count]) =>
    name.startsWith(LISTENER) && (now.get(name) ?? 0) < count ? [`${name}, which is gone`] : [],
  );
}
