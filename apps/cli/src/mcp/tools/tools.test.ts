import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TOOLS } from './index.ts';

const guide = readFileSync(new URL('../../../../../docs/how-to/use-with-an-assistant.md', import.meta.url), 'utf8');

test.each(TOOLS.map(({ name, ...tool }) => [name, tool] as const))(
  '%s reads or changes as its route does, and stands in the guide with its right',
  (name, { route, effect }) => {
    expect(effect === null).toBe(route.audit === null);
    expect(guide).toMatch(new RegExp(`^\\| \`${name}\` \\|.*\`${route.right}\`.*\\|$`, 'm'));
  },
);

test('names are unique, and each tool and argument says what it is', () => {
  const names = TOOLS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z]+(_[a-z]+)+$/.test(name))).toEqual([]);
  expect(TOOLS.filter(({ title, description }) => title.length < 5 || description.length < 40)).toEqual([]);
});
