/** What a ping says: the job began, ended well, failed; `log` keeps its text and changes nothing. */
export const PING_KINDS = ['start', 'success', 'fail', 'log'] as const;
export type PingKind = (typeof PING_KINDS)[number];

/** A ping, as its URL says it. */
export interface Signal {
  kind: PingKind;
  /** What the job ended with, 0 to 255. Null: it was not said. */
  exitStatus: number | null;
}

/** What stands behind the id in the URL of a ping; undefined: that is no signal. Nothing, and `0`, are a success. */
export function readSignal(word: string | undefined): Signal | undefined {
  if (word === undefined) return { kind: 'success', exitStatus: null };
  if (word === 'start' || word === 'fail' || word === 'log') return { kind: word, exitStatus: null };
  const exitStatus = /^\d{1,3}$/.test(word) ? Number(word) : 256;
  return exitStatus > 255 ? undefined : { kind: exitStatus === 0 ? 'success' : 'fail', exitStatus };
}

const RUN_ID = /^[A-Za-z0-9._:-]{1,100}$/;

/** Whether a text may tell the runs of a job apart: any UUID, or 1 to 100 letters, digits and `._:-`. */
export function isPingRunId(text: string): boolean {
  return RUN_ID.test(text);
}
