import { isConnectionError } from './database.ts';

/**
 * SQLSTATE classes of refusals that one value of a statement causes: a wrong number of rows (21), bad data (22), a broken constraint (23),
 * a value beyond a limit of Postgres (54), a refusal by a function of ours (P0).
 */
const OF_DATA = /^(21|22|23|54|P0)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * Whether an error is the fault of a value: Postgres refused it, or code could not work with it. The same work without that value
 * succeeds, and with it fails each time. False for what a server, a right or a lock is to blame for.
 */
export function isDataFault(error: unknown): boolean {
  if (!(error instanceof Error) || isConnectionError(error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  // A system error of Node, such as ENOMEM, has five or more capitals too, and no digit.
  if (code !== undefined && SQLSTATE.test(code) && /\d/.test(code)) return OF_DATA.test(code);
  return !('syscall' in error) && !('severity' in error);
}

export interface Split<In, Out> {
  /** Carries out a part of the batch as a whole, or throws and has changed nothing. */
  write: (part: readonly In[]) => Promise<Out>;
  /** Is given each member that fails alone, and why. A throw ends the work. */
  refused: (member: In, error: unknown) => unknown;
  /** Whether an error is the fault of a member, so that the others are tried without it. Default: `isDataFault`. */
  isOfMember?: (error: unknown) => boolean;
}

/**
 * Carries out a batch in one go. If a member of it is at fault, the batch is halved until that member stands alone: all others are
 * carried out, and nobody else is blamed. Returns what the parts answered, in the order of their members. Rejects with any other error.
 */
export async function splitOnDataFault<In, Out>(batch: readonly In[], split: Split<In, Out>): Promise<Out[]> {
  const [only] = batch;
  if (only === undefined) return [];
  try {
    return [await split.write(batch)];
  } catch (error) {
    if (!(split.isOfMember ?? isDataFault)(error)) throw error;
    if (batch.length === 1) {
      await split.refused(only, error);
      return [];
    }
  }
  const middle = Math.ceil(batch.length / 2);
  const first = await splitOnDataFault(batch.slice(0, middle), split);
  return [...first, ...(await splitOnDataFault(batch.slice(middle), split))];
}

/** Reads rows; one that cannot be read, since something else than this program has written it, is left out. */
export function readEach<Row, Out>(rows: readonly Row[], read: (row: Row) => Out): Out[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (isDataFault(error)) return [];
      throw error;
    }
  });
}
