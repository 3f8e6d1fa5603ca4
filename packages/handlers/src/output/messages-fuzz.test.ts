import { fuzz, fuzzOptions } from '@escapement/testkit/fuzz';
import { expect, test } from 'vitest';
import { HandlerMessages } from './messages.ts';

/** Takes a text as the bytes of a program, cut at each of these places. */
function take(text: string): void {
  const listener = {
    state: { value: null, version: 1, shape: 1 },
    heartbeat: () => undefined,
    progress: () => undefined,
  };
  const messages = new HandlerMessages(listener, { note: () => undefined });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 100) messages.write(bytes.subarray(at, at + 100));
  messages.outcomeOf({ status: 'succeeded' });
}

test('lines of a program on descriptor 3: no input crashes or holds a processor up', { timeout: 600_000 }, async () => {
  const target = {
    corpus: [
      '{"progress":{"done":1,"total":4,"note":"orders"}}\n{"heartbeat":true}\n',
      '{"state":{"cursor":"b"},"output":{"imported":40}}\n{"next":"2030-01-01T00:00:00+02:00"}\n',
      '{"chain":{"task":"b","payload":[1]}}\n{"skip":"nothing to do"}',
    ],
    words: [
      '{"state":',
      '{"output":',
      '{"chain":{"task":"a"}}',
      '\n',
      '"next":null',
      '"heartbeat":false',
      '[[[',
      '}}',
      '"__proto__":1',
      '9007199254740993',
      '"\\u0000"',
      '"\\ud800"',
      '[['.repeat(5_000),
      '"next":"0000-01-01T00:00:00Z"',
    ],
    run: take,
  };
  expect(await fuzz(target, fuzzOptions(process.env))).toEqual([]);
});
