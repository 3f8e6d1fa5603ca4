import { type Emit, HOUR } from '@escapement/core';
import { keepZones } from '@escapement/operations';
import { createLoop, type Loop, type OnError } from '@escapement/service';
import type { Database } from '@escapement/store';

/** New zones are written down by then, and what a process with older data has planned is looked at again. */
const WAIT_MS = 1 * HOUR;

export interface ZoneKeeperOptions {
  db: Database;
  /** The release of the time zone data of this process, as in `2026a`; another text: it is not known, and nothing is done. */
  tzVersion?: string | undefined;
  emit: Emit;
  onError: OnError;
}

/** Releases are compared as text. */
const RELEASE = /^\d{4}[a-z]+$/;

/** Writes down what is known of the zones that tasks go by, and has tasks planned anew whose clock is another one by newer data. */
export function createZoneKeeper({ db, tzVersion = '', emit, onError }: ZoneKeeperOptions): Loop {
  async function runOnce(): Promise<number> {
    if (!RELEASE.test(tzVersion)) return WAIT_MS;
    const changed = await keepZones(db, { tzVersion });
    for (const each of changed) emit({ event: 'zone_changed', ...each });
    return WAIT_MS;
  }

  return createLoop({ name: 'zone-keeper', runOnce, onError });
}
