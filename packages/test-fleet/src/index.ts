export type { Span } from './span.ts';
export { startTestFleet, type TestFleetOptions } from './start-test-fleet.ts';
export type { TestFleet } from './test-fleet.ts';
