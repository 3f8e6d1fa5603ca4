import { expect, test } from 'vitest';
import { identityOfRedis, type RedisFound } from './redis-identity.ts';

const fresh = { isFresh: true };
const stale = { isFresh: false };

test.each<[string, RedisFound, string]>([
  ['the Redis that was noted', { here: 'a', noted: 'a', usedBy: fresh, admitted: false }, 'same'],
  ['the first Redis of a namespace', { here: null, noted: null, usedBy: null, admitted: false }, 'emptied'],
  ['a Redis from before the first note', { here: 'a', noted: null, usedBy: null, admitted: false }, 'moved'],
  [
    'a fleet that was stopped, and starts on another Redis',
    { here: 'b', noted: 'a', usedBy: null, admitted: false },
    'moved',
  ],
  [
    'a fleet that was stopped, and starts on an empty one',
    { here: null, noted: 'a', usedBy: null, admitted: false },
    'emptied',
  ],
  [
    'a program that starts with another Redis than the fleet has',
    { here: 'b', noted: 'a', usedBy: fresh, admitted: false },
    'other',
  ],
  [
    'a program that starts with an empty Redis beside a fleet',
    { here: null, noted: 'a', usedBy: fresh, admitted: false },
    'other',
  ],
  [
    'one that starts while the Redis of the fleet is away',
    { here: 'b', noted: 'a', usedBy: stale, admitted: false },
    'other',
  ],
  ['a flush that all have seen', { here: null, noted: 'a', usedBy: null, admitted: true }, 'emptied'],
  [
    'a flush beside a program that is cut off from Redis',
    { here: null, noted: 'a', usedBy: stale, admitted: true },
    'emptied',
  ],
  [
    'a Redis whose address leads to another one for all',
    { here: 'b', noted: 'a', usedBy: null, admitted: true },
    'moved',
  ],
  [
    'a program that is led to another Redis than the others',
    { here: 'b', noted: 'a', usedBy: fresh, admitted: true },
    'other',
  ],
  [
    'a program that is led to an empty Redis, while the others see the old one',
    { here: null, noted: 'a', usedBy: fresh, admitted: true },
    'other',
  ],
  [
    'one that sees another Redis, while the others see none',
    { here: 'b', noted: 'a', usedBy: stale, admitted: true },
    'unclear',
  ],
])('%s', (_title, found, identity) => {
  expect(identityOfRedis(found)).toBe(identity);
});
