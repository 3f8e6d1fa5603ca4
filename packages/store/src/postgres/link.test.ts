import { expect, test } from 'vitest';
import { Link } from './link.ts';

test('a session that Postgres ends before anybody listens to it is no error that nobody caught', () => {
  expect(() => new Link({}).emit('error', new Error('terminating connection'))).not.toThrow();
});
