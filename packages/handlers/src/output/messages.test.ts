import type { TaskState } from '@escapement/core';
import { expect, test } from 'vitest';
import { HandlerMessages } from './messages.ts';

function listening(state?: TaskState) {
  const heard: unknown[] = [];
  const notes: string[] = [];
  const listener = {
    heartbeat: () => void heard.push('heartbeat'),
    progress: (...report: unknown[]) => void heard.push(report),
    ...(state ? { state } : {}),
  };
  const messages = new HandlerMessages(listener, { note: (line) => void notes.push(line) });
  const say = (...lines: string[]) => messages.write(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  return { messages, heard, notes, say };
}

const OK = { status: 'succeeded', exitCode: 0 } as const;
const NONE: TaskState = { version: 0, shape: 0 };

test('a program that says nothing has succeeded as it did', () => {
  expect(listening().messages.outcomeOf(OK)).toEqual(OK);
});

test('the last output, state and next count, and each chain', () => {
  const { messages, say } = listening({ value: 1, version: 4, shape: 2 });
  say('{"output": 1, "state": {"a": 1}}', '{"next": null}', '{"chain": {"task": "x", "payload": 7}}');
  say('{"output": 2}', '', '{"next": "2030-01-01T00:00:00+01:00"}', '{"chain": {"task": "y"}}');
  expect(messages.outcomeOf(OK)).toEqual({
    ...OK,
    output: 2,
    effects: {
      state: { value: { a: 1 }, version: 4, shape: 2 },
      next: new Date('2029-12-31T23:00:00Z'),
      chain: [{ task: 'x', payload: 7 }, { task: 'y' }],
    },
  });
});

test('chain may be a list', () => {
  const { messages, say } = listening();
  say('{"chain": [{"task": "x"}, {"task": "y", "payload": 1}]}');
  expect(messages.outcomeOf(OK)).toMatchObject({ effects: { chain: [{ task: 'x' }, { task: 'y', payload: 1 }] } });
});

test('lines are taken wherever they are cut, the last one without its end too', () => {
  const { messages } = listening(NONE);
  for (const byte of Buffer.from('{"output": "ä"}\n{"state": "ö"}')) messages.write(Buffer.from([byte]));
  expect(messages.outcomeOf(OK)).toMatchObject({
    output: 'ä',
    effects: { state: { value: 'ö', version: 0, shape: 1 } },
  });
});

test('progress is reported; everything else is a sign of life', () => {
  const { heard, say } = listening();
  say('{"progress": {"done": 1, "total": 3, "note": "n"}}', '{"heartbeat": true}', '{"output": 1}');
  expect(heard).toEqual([[1, 3, 'n'], 'heartbeat', 'heartbeat']);
});

test('skip ends the run as skipped, unless the program failed', () => {
  const { messages, say } = listening();
  say('{"skip": "nothing to do"}');
  const failed = { status: 'failed', error: { name: 'E', message: 'm' } } as const;
  expect(messages.outcomeOf(failed)).toEqual(failed);
  expect(messages.outcomeOf(OK)).toEqual({ status: 'skipped', reason: 'nothing to do' });
});

test.each([
  ['no JSON', 'hello', /the program said hello on descriptor 3/],
  ['an unknown key', '{"stat": 1}', /stat/],
  ['no date', '{"next": "tomorrow"}', /next/],
  ['a state that the task does not declare', '{"state": 1}', /declares no state/],
  ['an output that is too large', `{"output": "${'x'.repeat(70_000)}"}`, /the output is 70002 bytes/],
  ['a line without end', 'x'.repeat(400_000), /longer than/],
  ['a number beyond 2^53', '{"output": [9007199254740993]}', /9007199254740993, which would become 9007199254740992/],
  ['a state with a number beyond 2^53', '{"state": {"id": 9007199254740993}}', /9007199254740993/],
  ['a payload with a number beyond 2^53', '{"chain": {"task": "x", "payload": 1e400}}', /1e400/],
  ['10,000 levels', `{"output": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`, /more than 200 levels deep/],
  ['__proto__', '{"output": {"__proto__": {"x": 1}}}', /__proto__/],
  ['a next run before 1970', '{"next": "1969-12-31T23:59:59Z"}', /between 1970/],
  ['a next run after 9999', '{"next": "9999-12-31T23:59:59-01:00"}', /between 1970/],
])('%s fails the run, for good, and is noted in its log', (_, line, words) => {
  const { messages, notes, say } = listening();
  say(line, '{"output": 1}');
  const outcome = messages.outcomeOf(OK);
  expect(outcome).toMatchObject({ status: 'failed', retry: 'never', error: { message: expect.stringMatching(words) } });
  expect(notes).toEqual([expect.stringMatching(words)]);
});

test('bytes that are not UTF-8 fail the run: another character would be kept in their place', () => {
  const { messages, notes } = listening();
  messages.write(Buffer.from('{"output": "M\xfcller"}\n', 'latin1'));
  expect(messages.outcomeOf(OK)).toMatchObject({ status: 'failed', retry: 'never' });
  expect(notes).toEqual([expect.stringContaining('it is not UTF-8')]);
});
