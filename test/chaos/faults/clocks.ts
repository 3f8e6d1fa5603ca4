import { setTimeout as delay } from 'node:timers/promises';
import { HOUR, SECOND } from '@escapement/core';
import { type Probe, type SkewedClock, skewedClock } from '@escapement/testkit';
import type { Fleet, Member } from '../fleet.ts';
import { type Fault, lookFor, nowMs } from './fault.ts';

const NOTICES_MS = 10 * SECOND;

interface Skewed {
  clock: SkewedClock;
  members: readonly Member[];
}

/** A worker and a scheduler of each fleet whose clock can be set; started when they are first needed. */
const skewed = new WeakMap<Fleet, Skewed>();

async function skewedMembers(fleet: Fleet): Promise<Skewed> {
  const known = skewed.get(fleet);
  if (known?.members.every(({ alive }) => alive)) return known;
  const clock = skewedClock();
  if (!clock) throw new Error('there is no libfaketime');
  const members = await Promise.all([fleet.start('worker', clock), fleet.start('scheduler', clock)]);
  const made = { clock, members };
  skewed.set(fleet, made);
  return made;
}

async function says(member: Member, what: string, probe: Probe): Promise<boolean> {
  return (await lookFor(probe, NOTICES_MS, async () => member.saysAgain(what) || undefined)) ?? false;
}

/** The clock of one process is set while it works. It must say so, take no work, and do nothing early (I7). */
function clockOff(name: string, aheadMs: number): Fault {
  return {
    name: `clock-${name}`,
    title: `clock of one worker and one scheduler off by ${name}`,
    unavailable: () => (skewedClock() ? undefined : 'libfaketime is not installed (Debian: apt-get install faketime)'),
    async inject({ fleet, leaseMs, probe }) {
      const { clock, members } = await skewedMembers(fleet);
      const fromMs = nowMs();
      clock.set(aheadMs);
      const all = (what: string) => Promise.all(members.map((member) => says(member, what, probe)));
      const noticed = await all('clock is too far off');
      await delay(1 * SECOND);
      clock.set(0);
      const healedMs = nowMs();
      const agreed = await all('clock agrees with');
      if (noticed.includes(false) || agreed.includes(false)) throw new Error(`nobody said so for ${NOTICES_MS} ms`);
      return { fromMs, healedMs, excusedMs: fromMs + leaseMs, detail: members.map((member) => member.name).join(', ') };
    },
  };
}

export const clocksOff: readonly Fault[] = [clockOff('5s', 5 * SECOND), clockOff('1h', 1 * HOUR)];
