export type { BusyKey, KeyOutcome } from './busy-keys.ts';
export { firesIn } from './fires.ts';
export * from './forecast.ts';
export * from './icalendar.ts';
export { createKeyQueue, type KeyStart, type KeyVerdict } from './key-queue.ts';
export { createLoad, type Load, type LoadOf, type Peak, type Took } from './load.ts';
export { quietestSlots, type Slot, type SlotCandidate, type SlotQuestion } from './quietest-slots.ts';
export * from './replay.ts';
export { type ForecastTask, runsAhead } from './runs-of.ts';
