import { expect, test } from 'vitest';
import { checkUnknownTask } from './check-task.ts';

const http = (fields: string) =>
  JSON.parse(`{ "name": "a", "handler": { "type": "http", "url": "https://x.example", ${fields} } }`);

test.each([
  ['"body": { "__proto__": { "admin": true } }', 'task a.handler.body has the key "__proto__"'],
  ['"body": [{ "deep": { "constructor": 1 } }]', 'task a.handler.body.0.deep has the key "constructor"'],
  ['"headers": { "__proto__": "x" }', 'task a.handler.headers has the key "__proto__"'],
])('a key that could reach a prototype is refused, not dropped: %s', (fields, words) => {
  expect(() => checkUnknownTask(http(fields))).toThrow(words);
});

test.each(['Host', 'content-length', 'TRANSFER-ENCODING', 'Connection', 'upgrade', 'te', 'Expect'])(
  'the header %s is HTTP’s own',
  (name) => {
    expect(() => checkUnknownTask(http(`"headers": { "${name}": "x" }`))).toThrow(
      `handler.headers.${name}: expected a header that is not set by HTTP itself`,
    );
  },
);

test.each(['', 'a b', 'a:b', 'a\\r\\nHost', 'ä'])('"%s" is no name of a header', (name) => {
  expect(() => checkUnknownTask(http(`"headers": { "${name}": "x" }`))).toThrow('a name that HTTP allows');
});

test.each(['a\\r\\nHost: b', 'a\\u0000', 'zł'])('"%s" is no value of a header', (value) => {
  expect(() => checkUnknownTask(http(`"headers": { "X-A": "${value}" }`))).toThrow('handler.headers.X-A: expected');
});

test.each(['', 'a b', 'a\nroot', 'a\troot', 'a:b'])('%j is no name of a user', (user) => {
  const given = { name: 'a', handler: { type: 'shell', command: 'x', user } };
  expect(() => checkUnknownTask(given)).toThrow('handler.user: expected a name of a user');
});

test.each([
  [{ type: 'http', url: 'https://a:***@x.example/' }, 'handler.url'],
  [{ type: 'http', url: 'https://x.example/?token=***' }, 'handler.url'],
  [{ type: 'http', url: 'https://x.example/', headers: { Authorization: '***' } }, 'handler.headers.Authorization'],
  [{ type: 'shell', command: 'x', env: { TOKEN: '***' } }, 'handler.env.TOKEN'],
])('a value that was shown masked is not saved: %j', (handler, place) => {
  expect(() => checkUnknownTask({ name: 'a', handler })).toThrow(`task a: ${place} is ***`);
});

test.each([
  ['text', '"text"'],
  [7, '7'],
  [null, 'null'],
  [[1], 'a list of 1'],
  [undefined, 'is missing'],
])('%j is no task, and is told so', (given, words) => expect(() => checkUnknownTask(given)).toThrow(words));

test('of many unknown keys the first are named, and the others counted', () => {
  const unknown = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`unknwon${index}`, 1]));
  const given = { name: 'a', handler: { type: 'shell', command: 'x' }, ...unknown };
  expect(() => checkUnknownTask(given)).toThrow(/unknown key "unknwon4".*and 1995 more unknown keys/);
});

test.each([
  [{}, "add output: 'messages' to its handler"],
  [{ output: 'body', method: 'POST' }, "add output: 'messages' to its handler"],
  [{ output: 'messages' }, 'the method POST, PUT or PATCH'],
  [{ output: 'messages', method: 'GET' }, 'the method POST, PUT or PATCH'],
  [{ output: 'messages', method: 'POST', body: {} }, 'no body of its own'],
])('an http task with a state needs a way to send it and to get it back: %j', (fields, words) => {
  const handler = { type: 'http', url: 'https://x.example', ...fields };
  expect(() => checkUnknownTask({ name: 'a', handler, state: {} })).toThrow(words);
});
