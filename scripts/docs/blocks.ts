import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../process.mjs';

/** A fenced block of a document. Its language says what it is, and so what a test does with it. */
export interface Block {
  file: string;
  /** Of its first line. */
  line: number;
  language: string;
  text: string;
}

/** The documents for people who use Escapement, from the root of the repository. */
export function documents(): string[] {
  const named = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'apps/cli/README.md', 'apps/site/index.md'];
  return [...named, ...['docs', 'examples'].flatMap(markdownIn)];
}

function markdownIn(folder: string): string[] {
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.md')).map((name) => path.join(folder, name));
}

/** The blocks of all documents. */
export function allBlocks(): Block[] {
  return documents().flatMap((file) => blocksIn(file, readFileSync(path.join(root, file), 'utf8')));
}

const FENCE = /^( *)```(.*)$/;

export function blocksIn(file: string, text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent, language = ''] = FENCE.exec(lines[at] ?? '') ?? [];
    if (indent === undefined) continue;
    const length = lines.slice(at + 1).findIndex((line) => FENCE.exec(line)?.[2] === '');
    if (length === -1) throw new Error(`${file}:${at + 1}: the block has no end`);
    const inside = lines.slice(at + 1, at + 1 + length).map((line) => line.slice(indent.length));
    blocks.push({ file, line: at + 2, language: language.trim(), text: inside.join('\n') });
    at += length + 1;
  }
  return blocks;
}

/** Where it is, as an editor opens it. */
export function placeOf({ file, line }: Block): string {
  return `${file}:${line}`;
}

/** The lines of a block that one types: all of a script, and of a session those after `$ `. Lines that go on are joined. */
export function typedLines({ language, text }: Block): string[] {
  const lines = text.replaceAll(/ *\\\n */g, ' ').split('\n');
  if (language === 'sh') return lines.filter((line) => line.trim() !== '');
  if (language !== 'console') return [];
  return lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
}
