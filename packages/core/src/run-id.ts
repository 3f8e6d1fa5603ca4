import { randomBytes } from 'node:crypto';

/**
 * A UUIDv7 (RFC 9562, 5.7) whose 48-bit time is the run's `scheduled_for`: the id alone says in
 * which partition the run lies.
 */
export function newRunId(scheduledFor: Date, random: Uint8Array = randomBytes(10)): string {
  const time = scheduledFor.getTime().toString(16).padStart(12, '0');
  const tail = Buffer.from(random);
  tail[0] = ((tail[0] ?? 0) & 0x0f) | 0x70;
  tail[2] = ((tail[2] ?? 0) & 0x3f) | 0x80;
  const hex = time + tail.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

/** The `scheduled_for` a run id carries. */
export function scheduledForOf(runId: string): Date {
  return new Date(Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16));
}
