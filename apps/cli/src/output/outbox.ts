import type { OpenOutboxEntry } from '@escapement/store';
import { counted, inUtc } from './wording.ts';

const WHAT: Record<OpenOutboxEntry['event'], string> = {
  started: 'what follows its start',
  ended: 'what follows its end',
  chain: 'what its handler chained',
  next: 'the next run of its task',
};

/** What is still to be done about a run. */
export function outboxLine({ event, notBefore, tries, error, givenUpAt }: OpenOutboxEntry): string {
  const what = WHAT[event];
  if (error === null) return `${what}: at ${inUtc(notBefore)}`;
  const then = givenUpAt ? `given up ${inUtc(givenUpAt)}` : `tried again ${inUtc(notBefore)}`;
  return `${what} could not be started, ${counted(tries, 'try', 'tries')}, ${then}: ${error}`;
}
