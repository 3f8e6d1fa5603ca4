import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { flowPicture } from './flow.ts';

test('docs/pictures/flow.svg is what `npm run docs:pictures` draws', () => {
  expect(readFileSync(new URL('../../docs/pictures/flow.svg', import.meta.url), 'utf8')).toBe(flowPicture());
});
