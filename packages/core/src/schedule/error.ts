import type { ErrorCode } from '../error-codes/error-codes.ts';
import { EscapementError } from '../errors.ts';

/** A schedule that cannot be taken as it is written. Thrown by `parseSchedule`. */
export class ScheduleError extends EscapementError {
  override readonly name = 'ScheduleError';
  /** The piece of the schedule that is wrong, as it was written. */
  readonly part: string;
  /** What may stand in its place. */
  readonly allowed: string;

  constructor(code: ErrorCode, message: string, { part, allowed }: { part: string; allowed: string }) {
    super(code, message, { fix: allowed });
    this.part = part;
    this.allowed = allowed;
  }
}
