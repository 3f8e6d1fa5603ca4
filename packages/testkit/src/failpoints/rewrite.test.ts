import { expect, test } from 'vitest';
import { rewrite } from './rewrite.mjs';

const path = 'file:///somewhere/packages/a/src/b.ts';
const module = 'packages/a/src/b.ts';
const source = 'export async function work() {}\nexport function createThing() { return { does() {} }; }\n';

test('one line at the end wraps a function; no line moves', () => {
  const text = rewrite(path, source, { failpoints: [{ module, name: 'work' }], patches: [] });
  expect(text.startsWith(source)).toBe(true);
  expect(text).toContain(`work = globalThis[Symbol.for('escapement.failpoints')]?.wrap("${module}#work", work`);
});

test('other modules are left alone', () => {
  const changes = {
    failpoints: [{ module: 'src/c.ts', name: 'x' }],
    patches: [{ module: 'c.ts', find: 'x', replace: '' }],
  };
  expect(rewrite(path, source, changes)).toBe(source);
});

test('a function, a method or a text that is not there is refused', () => {
  const failpoints = (name: string) => ({ failpoints: [{ module, name }], patches: [] });
  expect(() => rewrite(path, source, failpoints('play'))).toThrow('declares no function play');
  expect(() => rewrite(path, source, failpoints('createThing.do'))).toThrow('nothing called do');
  const patches = [{ module, find: 'sleep', replace: '' }];
  expect(() => rewrite(path, source, { failpoints: [], patches })).toThrow('has no "sleep" to take away');
});
