export type { CopyAccepted } from '@escapement/store';
export { acceptCopy, type CopyTerms } from './accept-copy.ts';
export type { GapOfTask } from './gap-of-tasks.ts';
export { judgeCopy, judgeRedisOfCopy } from './judge-copy.ts';
export { type CopySeen, lookAtCopy } from './look-at-copy.ts';
