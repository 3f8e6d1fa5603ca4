import { expect, test } from 'vitest';
import { keyName, SHORTCUTS, type ShortcutName, shortcutOf } from './shortcuts.ts';

const all = new Set(Object.keys(SHORTCUTS) as ShortcutName[]);

test('no two shortcuts have the same keys', () => {
  const keys = Object.values(SHORTCUTS).map((each) => each.keys);
  expect(new Set(keys).size).toBe(keys.length);
});

test('a key after another is one shortcut; the first alone begins it', () => {
  expect(shortcutOf('g', null, all)).toEqual({ begins: true });
  expect(shortcutOf('n', 'g', all)).toEqual({ name: 'goNow' });
  expect(shortcutOf('n', null, all)).toEqual({ begins: false });
  expect(shortcutOf('j', 'g', all)).toEqual({ name: 'next' });
});

test('what nobody handles is left to the browser', () => {
  expect(shortcutOf('n', 'g', new Set(['next']))).toEqual({ begins: false });
});

test('keys are called as they are written', () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false };
  expect(keyName({ ...none, key: 'K', metaKey: true })).toBe('mod+k');
  expect(keyName({ ...none, key: '?' })).toBe('?');
  expect(keyName({ ...none, key: 'j', altKey: true })).toBe('alt+j');
});
