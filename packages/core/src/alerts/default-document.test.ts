import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { alertingSpec, DEFAULT_ALERTING } from './alerting.ts';

test('the document that the docs give as the defaults is the one in force without any settings', () => {
  const page = readFileSync(new URL('../../../../docs/reference/alerts.md', import.meta.url), 'utf8');
  const [, text = ''] = /The defaults[^`]*```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  expect(alertingSpec.parse(parse(text))).toEqual(DEFAULT_ALERTING);
});
