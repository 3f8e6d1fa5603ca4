export type { BusyKey, KeyOutcome } from './busy-keys.ts';
export * from './forecast.ts';
export { createKeyQueue, type KeyStart, type KeyVerdict } from './key-queue.ts';
export { createLoad, type Load, type LoadOf, type Peak, type Took } from './load.ts';
export { quietestSlots, type Slot, type SlotCandidate, type SlotQuestion } from './quietest-slots.ts';
export type { ForecastTask } from './runs-of.ts';
