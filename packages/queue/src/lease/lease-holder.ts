/** Who holds a slot of a key, as Redis tells it. */
export interface LeaseHolder {
  slot: number;
  runId: string;
  worker: string;
  /** 0: the slot is reserved for the run, by the worker named, and the run has not come yet. */
  dispatch: number;
  /** ISO 8601, by the holder's clock. */
  since: string;
}

/** The beginning of a lease's value that makes it one holder's own, and nobody else's. */
export function ownerText({ runId, dispatch, worker }: { runId: string; dispatch: number; worker: string }): string {
  return `${runId} ${dispatch} ${encodeURIComponent(worker)} `;
}

function holderText(owner: string, since: Date): string {
  return owner + since.toISOString();
}

/** A slot that a worker keeps for the next in the wait queue: `acquire` gives it to that run, whoever comes with it. */
export function reservationText(runId: string, worker: string, since: Date): string {
  return holderText(ownerText({ runId, dispatch: 0, worker }), since);
}

export function parseHolder(slot: number, value: string): LeaseHolder {
  const [runId = '', dispatch = '0', worker = '', since = ''] = value.split(' ');
  return { slot, runId, worker: decoded(worker), dispatch: Number(dispatch), since };
}

/** Somebody else may have written it. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
