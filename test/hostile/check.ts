import { seededRandom } from '@escapement/core';
import type { testFleet } from '@escapement/testkit/fleet';
import { FOUND } from './found.ts';
import { allMutations, type Mutation, words } from './mutations.ts';
import { createRounds } from './round.ts';
import { makeVictim } from './victim.ts';

/** Spoiled at once; where something goes wrong they are halved until the one that did it is found. */
const VICTIMS = 12;
const MAX_FINDINGS = 10;

export interface HostileRows {
  /** What went wrong, and by which value. */
  findings: string[];
  /** Rows that Postgres has let be spoiled. */
  spoiled: number;
}

/** Writes so many hostile values, as chance picks them, into the rows of tasks, and makes all passes of a scheduler beside a sound task. */
export async function tryHostileRows(
  fleet: Awaited<ReturnType<typeof testFleet>>,
  { count, seed }: { count: number; seed: number },
): Promise<HostileRows> {
  const rounds = createRounds(fleet);
  await rounds.begin();
  const all = await allMutations(fleet.db, await makeVictim(fleet.db, 'model'));
  const chosen = seededRandom(seed).shuffle(all).slice(0, count);
  const findings: string[] = [];
  let spoiled = 0;

  async function play(some: readonly Mutation[]): Promise<void> {
    const played = await rounds.play(some);
    const [only] = some;
    if (played.wrong.length > 0 && some.length > 1) {
      const middle = Math.ceil(some.length / 2);
      await play(some.slice(0, middle));
      await play(some.slice(middle));
      return;
    }
    spoiled += played.spoiled;
    if (only && played.wrong.length > 0) findings.push(`${words(only)}: ${played.wrong.join('; ')}`);
  }

  await play(FOUND);
  for (let at = 0; at < chosen.length && findings.length < MAX_FINDINGS; at += VICTIMS)
    await play(chosen.slice(at, at + VICTIMS));
  return { findings, spoiled };
}
