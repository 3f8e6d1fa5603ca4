import { isDeepStrictEqual } from 'node:util';
import type { ZoneRules } from '@escapement/core/schedule';
import type { InForce } from '@escapement/core/verify-ledger';
import { type Database, type ZoneVersion, zoneVersions } from '@escapement/store';
import { rulesIfKnown } from '../zones/keep-zones.ts';

/** What was known of a zone in a time, where that is not what is known here. */
export interface ZoneInForce extends Pick<ZoneVersion, 'name' | 'effectiveAt' | 'endedAt'> {
  /** Undefined: what is known here. */
  rules: ZoneRules | undefined;
}

const BEGINNING = new Date(0);

/** Of the zones that were known otherwise some time after `since`. */
export async function zonesInForce(db: Database, since: Date): Promise<ZoneInForce[]> {
  const versions = await zoneVersions(db, since);
  const judged = versions.map(({ name, version, effectiveAt, endedAt, rules }) => {
    const isKnown = isDeepStrictEqual(rules, rulesIfKnown(name));
    // What was written down first was so before.
    return { name, effectiveAt: version === 1 ? BEGINNING : effectiveAt, endedAt, rules: isKnown ? undefined : rules };
  });
  const others = new Set(judged.flatMap(({ name, rules }) => (rules ? [name] : [])));
  return judged.filter(({ name }) => others.has(name));
}

/** The versions of a task, each cut where a zone that it goes by became known otherwise. */
export function withZones(versions: readonly InForce[], zones: readonly ZoneInForce[]): InForce[] {
  if (zones.length === 0) return [...versions];
  return versions.flatMap((version) => {
    const names = namesOf(version);
    const used = zones.filter(({ name }) => names.has(name));
    return used.length === 0 ? [version] : cut(version, used);
  });
}

function namesOf({ schedule, calendars }: InForce): Set<string> {
  const own = 'timeZone' in schedule ? [schedule.timeZone] : [];
  return new Set([...own, ...(calendars?.exclude ?? []).map(({ timeZone }) => timeZone)]);
}

function cut(version: InForce, zones: readonly ZoneInForce[]): InForce[] {
  const { effectiveAt, endedAt, calendars } = version;
  const changes = zones
    .map((each) => each.effectiveAt)
    .filter((at) => at > effectiveAt && (endedAt === null || at < endedAt))
    .sort((a, b) => a.getTime() - b.getTime());
  const starts = [effectiveAt, ...changes];
  return starts.map((start, index): InForce => {
    const inForce = zones.filter(
      (each) => each.effectiveAt <= start && (each.endedAt === null || each.endedAt > start),
    );
    const rules = new Map(inForce.flatMap(({ name, rules }) => (rules ? [[name, rules] as const] : [])));
    const piece = { ...version, effectiveAt: start, endedAt: starts[index + 1] ?? endedAt };
    if (rules.size === 0) return piece;
    return { ...piece, zones: rules, ...(calendars ? { calendars: { ...calendars, zones: rules } } : {}) };
  });
}
