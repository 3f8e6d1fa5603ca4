import { EscapementError, type HandlerOutcome, toRunError } from '@escapement/core';

/** The outcome of a run that cannot start here and would fail again the same way: never retried. */
export function refusal(error: EscapementError): Extract<HandlerOutcome, { status: 'failed' }> {
  return { status: 'failed', error: withFix(error), retry: 'never' };
}

/** A failure that another try, or another worker, may not have: left to the retry policy. */
export function failure(error: EscapementError): HandlerOutcome {
  return { status: 'failed', error: withFix(error) };
}

/** The refusal of a check that threw; what is no `EscapementError` is a defect and thrown on. */
export function refusalOf(thrown: unknown): HandlerOutcome {
  if (thrown instanceof EscapementError) return refusal(thrown);
  throw thrown;
}

/** The ledger shows the message only, so what to do about it belongs in there. */
function withFix(error: EscapementError) {
  const { name, message } = toRunError(error);
  return { name, message: error.fix ? `${message}; ${error.fix}` : message, fields: { code: error.code } };
}
