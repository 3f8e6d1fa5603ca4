import { expect, test } from 'vitest';
import { barOf, groupsOf, sidebarOf, titleIn } from './navigation.ts';

const LIST = `# Documents
New here? Read the [README](../README.md), then the [tutorial](tutorial.md).

## How-to guides

| goal | guide |
|---|---|
| release | [release.md](how-to/release.md) |
| look | [see](../examples/README.md) |

Also: [CHANGELOG](../CHANGELOG.md), and [the decisions below](#decisions).

## Decisions

| number | decision |
|---|---|
| 1 | [One](decisions/0001-one.md) |
`;

const groups = groupsOf(LIST, (file) => `title of ${file}`);

test('each table of the list of documents is a group, with its pages in their order', () => {
  expect(groups).toEqual([
    {
      text: 'Start',
      items: [
        { text: 'title of README.md', link: '/readme' },
        { text: 'title of docs/tutorial.md', link: '/tutorial' },
      ],
    },
    {
      text: 'How-to guides',
      items: [
        { text: 'title of docs/how-to/release.md', link: '/how-to/release' },
        { text: 'title of examples/README.md', link: '/examples' },
      ],
    },
    { text: 'Project', items: [{ text: 'title of CHANGELOG.md', link: '/changelog' }] },
    { text: 'Decisions', items: [{ text: 'title of docs/decisions/0001-one.md', link: '/decisions/0001-one' }] },
  ]);
});

test('of the sidebar only the decisions are closed', () => {
  expect(sidebarOf(groups).map(({ text, collapsed }) => [text, collapsed])).toEqual([
    ['Start', false],
    ['How-to guides', false],
    ['Project', false],
    ['Decisions', true],
  ]);
});

test('the bar leads to the first page of each group, and marks all pages of its folder', () => {
  expect(barOf(groups)).toContainEqual({ text: 'How-to guides', link: '/how-to/release', activeMatch: '^/how-to/' });
  expect(barOf(groups)).toContainEqual({ text: 'Start', link: '/readme', activeMatch: '^/readme' });
  expect(barOf([{ text: 'Empty', items: [] }])).toEqual([]);
});

test('a title in a list is the heading, without what all how-tos begin with', () => {
  expect(titleIn('# How to take over a crontab\n\ntext')).toBe('Take over a crontab');
  expect(titleIn('<!-- by hand -->\n# The HTTP API\n## More')).toBe('The HTTP API');
});
