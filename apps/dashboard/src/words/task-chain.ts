import type { components } from '../api/generated/openapi.ts';
import { counted } from './counted.ts';

type Cause = components['schemas']['TaskChain']['links'][number]['on'][number];

const CAUSES: Readonly<Record<Cause, string>> = {
  success: 'when it has succeeded',
  failure: 'when it has failed',
  always: 'when it has ended',
  onStart: 'when it begins',
  onSuccess: 'when it has succeeded',
  onFailure: 'when it has failed',
  onFinish: 'when it has ended',
  onSkip: 'when it is skipped',
  onMisfire: 'when it is missed',
  onLate: 'when it begins late',
};

export const taskChain = {
  title: 'Tasks before and after it',
  before: 'Runs of these start it',
  after: 'Its runs start these',
  nothingBefore: 'No task starts it.',
  nothingAfter: 'It starts no task.',
  notKnown: 'What a handler starts by itself is not known before.',
  causes: CAUSES,
  again: 'as above',
  hidden: (n: number) => `${counted(n, 'more task')} that you may not see`,
  isCut: 'There are more than 200; only the nearest are shown.',
};
