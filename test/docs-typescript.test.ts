import { expect, test } from 'vitest';
import { allBlocks, type Block } from '../scripts/docs/blocks.ts';
import { complaintsAbout } from './docs/typescript.ts';

/** Those that are files of the repository, which are compiled and run there: `scripts/docs/documents.test.ts` compares them. */
const isFile = ({ file }: Block) => file === 'docs/how-to/test-tasks.md';
/** Parts of declarations, made of the sources of the package. */
const isDeclared = ({ file }: Block) => file === 'docs/reference/sdk.md';
/** Lines that go into a file: `test/docs-followed.long.test.ts` writes them there. */
const isInserted = ({ text }: Block) => text.startsWith('const shopIsOpen = false;');

const isElsewhere = (block: Block) => isFile(block) || isDeclared(block) || isInserted(block);
const blocks = allBlocks().filter((block) => block.language === 'ts' && !isElsewhere(block));

test('the compiler takes each block of TypeScript, with the packages as they are', async () => {
  expect(blocks.length).toBeGreaterThan(20);
  expect(await complaintsAbout(blocks)).toBe('');
});

test('the compiler refuses a block that the packages do not take', async () => {
  const wrong = "import { defineTask } from '@escapement/sdk';\ndefineTask({ name: 'a', wrong: 1, async run() {} });";
  const said = await complaintsAbout([{ file: 'docs/a.md', line: 3, language: 'ts', text: wrong }]);
  expect(said).toMatch(/docs-a\.md-3\.ts.*wrong/s);
});
