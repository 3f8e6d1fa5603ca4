import { expect, test } from 'vitest';
import { visible, visibleJson, visibleLine } from './visible.ts';

test.each([
  ['a write to the clipboard', '\x1b]52;c;cm0gLXJmIH4=\x07', '\\x1b]52;c;cm0gLXJmIH4=\\x07'],
  ['a cursor that goes up and overwrites', 'failed\x1b[1A\x1b[2Ksucceeded', 'failed\\x1b[1A\\x1b[2Ksucceeded'],
  ['a return that overwrites', 'failed\rsucceeded', 'failed\\x0dsucceeded'],
  ['the short forms of C1', '\x9b2J\x9d0;title\x9c', '\\x9b2J\\x9d0;title\\x9c'],
  ['a backspace, a bell, NUL and DEL', 'a\bb\x07c\0d\x7f', 'a\\x08b\\x07c\\x00d\\x7f'],
  ['text that turns its direction', 'user\u202enimda', 'user\\u202enimda'],
])('%s is shown', (_, text, shown) => expect(visible(text)).toBe(shown));

test('text, tabs, line breaks, and all letters stay', () => {
  const text = 'über\t日本 🤔\nnext\r\nlast';
  expect(visible(text)).toBe('über\t日本 🤔\nnext\nlast');
  expect(visibleLine(text)).toBe('über\\t日本 🤔\\nnext\\nlast');
});

test('JSON stays JSON of the same value', () => {
  const value = { a: 'x\x9b2J\x7f\u202e' };
  const shown = visibleJson(JSON.stringify(value));
  expect(shown).toBe('{"a":"x\\u009b2J\\u007f\\u202e"}');
  expect(JSON.parse(shown)).toEqual(value);
});
