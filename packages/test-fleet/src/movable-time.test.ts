import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { OTHER_TIMES } from './movable-time.ts';

const store = fileURLToPath(new URL('../../store/src', import.meta.url));

test('statements ask for the time by now() and clock_timestamp(), which a test fleet can move', () => {
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('generated'),
  );
  expect(files.length).toBeGreaterThan(50);
  const other = new RegExp(OTHER_TIMES, 'i');
  expect(files.filter((file) => other.test(readFileSync(path.join(store, file), 'utf8')))).toEqual([]);
});
