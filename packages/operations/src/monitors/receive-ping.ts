import { createHash } from 'node:crypto';
import { EscapementError, MINUTE, SECOND } from '@escapement/core';
import { networkOf } from '@escapement/core/egress';
import { afterPing, countPing, isPingRunId, keptPingBody, type Signal, troubleAt } from '@escapement/core/monitors';
import { countSignIn, type Database, monitorOfPing, notePingIntake, recordPing } from '@escapement/store';
import { TooOften } from '../too-often.ts';
import { hashPingId } from './ping-id.ts';

/** Of one address, to URLs that are not there. */
const UNKNOWN = { most: 60, windowMs: 1 * MINUTE };
/** Made-up addresses share these. */
const BUCKETS = 65_536;
/** Pings of a monitor at the same moment: so often one starts over. */
const MAX_RACES = 10;
const RACE_RETRY_MS = 1 * SECOND;

/** A ping, as it came. */
export interface ReceivedPing {
  /** What stands in the URL. */
  id: string;
  signal: Signal;
  /** Which of several runs it is of. Null: it was not said. */
  rid: string | null;
  method: string;
  address: string;
  /** The first bytes of its body. */
  body: Uint8Array;
  /** How many there were. */
  bodyBytes: number;
}

/**
 * Takes a ping, at the time of Postgres; `now` is for the limit of those in vain. Throws `unknown_ping` where no monitor has such a URL, `bad_ping_run`, `TooOften`
 * (`too_many_pings`).
 */
export async function receivePing(db: Database, ping: ReceivedPing, now: Date): Promise<void> {
  const pingHash = hashPingId(ping.id);
  for (let race = 0; race < MAX_RACES; race++) {
    const monitor = await monitorOfPing(db, pingHash);
    if (!monitor) throw await unknownPing(db, ping.address, now);
    const { rid, signal, method, address, body, bodyBytes } = ping;
    if (rid !== null && !isPingRunId(rid))
      throw new EscapementError('bad_ping_run', 'rid is no id of a run', {
        fix: 'give a UUID, or 1 to 100 letters, digits and ._:-',
      });
    const { spec, pause, intake, now: at } = monitor;
    const counted = countPing(monitor.window, at);
    if ('waitMs' in counted) throw tooManyPings(counted.waitMs);
    const { status, durationMs } = afterPing(monitor.status, { ...signal, rid, at }, { spec, pause });
    const kept = await recordPing(db, monitor, {
      ...{ ...signal, rid, at, durationMs, method, address, body: keptPingBody(body), bodyBytes, status },
      ...{ window: counted.window, troubleAt: troubleAt({ spec, status, pause, intake }) },
    });
    if (kept) return;
  }
  throw tooManyPings(RACE_RETRY_MS);
}

/** Says that pings are taken now: what an API does again and again (`HEARING_MS`) as long as it is there. */
export async function sayPingsAreTaken(db: Database): Promise<void> {
  await notePingIntake(db);
}

/** Who looks for URLs that are there is counted; others are told the same. */
async function unknownPing(db: Database, address: string, now: Date): Promise<EscapementError> {
  const bucket = createHash('sha256').update(networkOf(address)).digest().readUInt16BE(0) % BUCKETS;
  const counted = await countSignIn(db, { kind: 'ping', bucket }, { ...UNKNOWN, now });
  if (!counted.counted) return tooManyPings(counted.waitMs);
  return new EscapementError('unknown_ping', 'there is no monitor with this URL', {
    fix: 'check the URL; it may have been replaced, or its monitor deleted',
  });
}

function tooManyPings(retryAfterMs: number): TooOften {
  return new TooOften('too_many_pings', 'there were too many pings', { fix: 'wait, and try again', retryAfterMs });
}
