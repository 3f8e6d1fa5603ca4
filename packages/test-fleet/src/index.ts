// For tests of users: a scheduler and a worker in the test process, whose time the test moves.

export type { Span } from './span.ts';
export { startTestFleet, type TestFleetOptions } from './start-test-fleet.ts';
export type { TestFleet } from './test-fleet.ts';
