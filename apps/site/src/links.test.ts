import { expect, test } from 'vitest';
import { copyOf, linkedFiles, siteLink } from './links.ts';

test('a link to a page leads to where the site has it, with its anchor', () => {
  expect(siteLink('docs/how-to/release.md', '../reference/cli.md#backfill')).toBe('/reference/cli.md#backfill');
  expect(siteLink('README.md', 'docs/tutorial.md')).toBe('/tutorial.md');
  expect(siteLink('docs/README.md', '../examples/README.md')).toBe('/examples.md');
  expect(siteLink('docs/decisions/0001-a.md', '../../CHANGELOG.md')).toBe('/changelog.md');
});

test('a link to another file of the repository leads to a copy of it, as a text or as JSON', () => {
  expect(siteLink('docs/how-to/run-on-hosts.md', '../../deploy/systemd')).toBe('/files/deploy/systemd.txt');
  expect(siteLink('examples/README.md', 'apply/http-ping.yaml')).toBe('/files/examples/apply/http-ping.yaml.txt');
  expect(copyOf('docs/reference/openapi.json')).toBe('/files/docs/reference/openapi.json');
});

test.each(['https://example.org/a.md', '#here', '/readme.md', 'mailto:a@example.org'])('%s stays as it is', (link) => {
  expect(siteLink('README.md', link)).toBe(link);
});

test('files are copied that are linked to and are no pages', () => {
  const text = 'See [a](../deploy/systemd), [b](tutorial.md#x), [c](https://example.org) and [d](#d).';
  expect(linkedFiles('docs/a.md', text)).toEqual(['deploy/systemd']);
});
