import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSelector } from '../rights/labels.ts';
import { OPEN_STATES } from '../run-state.ts';
import { parseRunQuery } from './run-query.ts';
import { RunQueryError } from './terms.ts';
import { writeRunQuery } from './write-run-query.ts';

const options = { now: new Date('2026-05-01T12:00:00Z'), timeZone: 'Europe/Berlin' };
const read = (text: string) => parseRunQuery(text, options);

test.each([
  ['', {}],
  ['  state:failed  ', { states: ['failed'] }],
  ['state:failed,timed_out task:nightly-*', { states: ['failed', 'timed_out'], tasks: ['nightly-*'] }],
  ['task:a,b', { tasks: ['a', 'b'] }],
  ['state:open,failed', { states: [...OPEN_STATES, 'failed'] }],
  ['state:failed,failed', { states: ['failed'] }],
  ['origin:rerun,trigger', { origins: ['rerun', 'trigger'] }],
  ['key:eu worker:w-1', { key: 'eu', worker: 'w-1' }],
  ['key:order:17', { key: 'order:17' }],
  ['key:"eu, west"', { key: 'eu, west' }],
  ['error:"say \\"no\\" \\\\ yes"', { error: 'say "no" \\ yes' }],
  ['error:ETIMEDOUT', { error: 'ETIMEDOUT' }],
  ['label:team=shop,env=test|stage', { labels: parseSelector('team=shop,env=test|stage') }],
  ['since:-24h', { since: new Date('2026-04-30T12:00:00Z') }],
  ['since:24h', { since: new Date('2026-04-30T12:00:00Z') }],
  ['until:+2h', { until: new Date('2026-05-01T14:00:00Z') }],
  [
    'since:2026-04-01 until:"2026-04-02 12:00"',
    { since: new Date('2026-03-31T22:00:00Z'), until: new Date('2026-04-02T10:00:00Z') },
  ],
])('%s', (text, query) => {
  expect(read(text)).toEqual(query);
});

test.each([
  ['stat:failed', [0, 4], 'runs have no field "stat" (character 1)', 'did you mean state?'],
  ['task:x state:failled', [13, 20], 'there is no state "failled" (character 14)', 'did you mean failed?'],
  ['task:x nightly', [7, 14], '"nightly" is no term (character 8)', 'give terms such as'],
  ['task:', [5, 5], 'task: has no value (character 6)', 'give one, as in task:value'],
  ['task:a,', [7, 7], 'task: has no value (character 8)', 'give one'],
  ['error:"no end', [6, 13], 'a quote is not closed (character 7)', 'close it with "'],
  ['key:"a"b', [7, 8], '"b" is no term (character 8)', 'give terms such as'],
  ['key:a,b', [0, 7], 'key has several values (character 1)', 'in quotes where it has a comma'],
  ['state:failed state:queued', [13, 25], 'state is given twice (character 14)', 'with commas'],
  ['origin:cron', [7, 11], 'there is no origin "cron" (character 8)', 'use one of schedule'],
  [
    'since:yesterday',
    [6, 15],
    'since is "yesterday", which is no date or time (character 7)',
    'give 2026-03-29T03:00:00Z',
  ],
  ['label:team', [0, 10], '"team" selects no labels (character 1)', 'give terms such as team=shop'],
  ['STATE:failed', [0, 12], '"STATE:failed" is no term (character 1)', 'give terms such as'],
])('%s is refused, with its place', (text, [start, end], message, fix) => {
  const failed = thrownBy(text);
  expect(failed).toMatchObject({ code: 'bad_query', message, fix: expect.stringContaining(fix), at: { start, end } });
});

test('whatever is given is read, or refused at a place of it', () => {
  const words = fc.constantFrom(
    'state:',
    'task:',
    'failed',
    ',',
    '"',
    '\\',
    ' ',
    'since:-1d',
    'label:a=b',
    ':',
    'é',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string({ maxLength: 4 })), { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      const failed = thrownBy(text);
      if (failed === undefined) return;
      expect(failed.at.start).toBeLessThanOrEqual(failed.at.end);
      expect(failed.at.end).toBeLessThanOrEqual(text.length);
    }),
  );
});

test('a query of more than a thousand characters is refused', () => {
  expect(thrownBy(`task:${'x'.repeat(1000)}`)).toMatchObject({ code: 'bad_query' });
});

test('a query that is written is read as the same', () => {
  const word = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '');
  const instant = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  const queries = fc.record(
    {
      tasks: fc.array(word, { minLength: 1, maxLength: 3 }),
      labels: fc.constant(parseSelector('team=shop,env=test|stage')),
      states: fc.uniqueArray(fc.constantFrom('failed' as const, 'running' as const), { minLength: 1 }),
      origins: fc.uniqueArray(fc.constantFrom('rerun' as const, 'trigger' as const), { minLength: 1 }),
      key: word,
      worker: word,
      error: word,
      since: instant,
      until: instant,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(queries, (query) => {
      expect(read(writeRunQuery(query))).toEqual(query);
    }),
  );
});

/** Undefined: it can be read. */
function thrownBy(text: string): RunQueryError | undefined {
  try {
    read(text);
    return undefined;
  } catch (error) {
    if (error instanceof RunQueryError) return error;
    throw error;
  }
}
