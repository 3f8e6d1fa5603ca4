import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { expect, test } from 'vitest';
import { pageHere } from './page-here.ts';

test('a page is a file that can be opened, with its heading; one that is not here is named as in the repository', () => {
  const place = pageHere('docs/how-to/run-a-fleet.md#start-it');
  const [file = '', heading] = place.split('#');
  expect([isAbsolute(file), heading]).toEqual([true, 'start-it']);
  expect(readFileSync(file, 'utf8')).toMatch(/^# /);
  expect(pageHere('docs/how-to/of-later.md#x')).toBe('docs/how-to/of-later.md#x');
});
