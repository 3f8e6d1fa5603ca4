import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = import.meta.dirname;
const sources = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter(({ name }) => /\.(tsx?|css)$/.test(name) && !/\.test\.tsx?$/.test(name))
  .map(({ parentPath, name }) => path.relative(root, path.join(parentPath, name)))
  .filter((file) => !file.includes('generated'));

/** Lines of files that look like what they must not be. */
function found(pattern: RegExp, isMeant: (file: string) => boolean): string[] {
  return sources.filter(isMeant).flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}

test('links are made in links.ts alone', () => {
  const others = found(
    /\bto[=:] ?["'`{]+\/|href=["'`{]+\/|\.push\(["'`]|location\.(href|assign)\s*[=(]/,
    (file) => file.endsWith('x') || file.endsWith('.ts'),
  );
  expect(others.filter((line) => !line.startsWith('links.ts'))).toEqual([]);
});

test('what people read is in words/ alone', () => {
  const isScreen = (file: string) => file.endsWith('.tsx');
  expect(found(/>\s*[A-Za-z][A-Za-z ,.'’]+\s*<\//, isScreen)).toEqual([]);
  expect(found(/\b(title|label|placeholder|description|aria-label)="[^"]*[A-Za-z]/, isScreen)).toEqual([]);
});

test('colours are tokens: no screen has one of its own', () => {
  const own = found(
    /#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/i,
    (file) => file.endsWith('.css') || file.endsWith('.tsx'),
  );
  expect(own.filter((line) => !line.startsWith('theme/tokens.css') && !/href="#/.test(line))).toEqual([]);
});

test('no markup is made of text, and nothing is kept in the browser but settings', () => {
  const isCode = (file: string) => !file.endsWith('.css');
  expect(found(/dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|\beval\(|new Function\(/, isCode)).toEqual([]);
  expect(
    found(
      /localStorage|sessionStorage|document\.cookie|indexedDB/,
      (file) => isCode(file) && file !== 'settings/settings.ts',
    ),
  ).toEqual([]);
});

test('parts of the program are loaded by loadPart alone, which waits while the server is away', () => {
  const own = found(/\blazy\(|lazyRouteComponent\(/, (file) => !file.endsWith('.css'));
  expect(own.filter((line) => !line.startsWith('api/load-part.ts'))).toEqual([]);
});
