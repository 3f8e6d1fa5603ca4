import { createReadStream } from 'node:fs';
import { EscapementError } from '@escapement/core';

/** Longest file or standard input that a command takes: some 30,000 tasks. Bytes. */
export const MAX_INPUT_BYTES = 10 * 1024 * 1024;

/** The lines of a text that hold what is left of bytes that are no UTF-8. The first is 1. */
export function linesNotUtf8(text: string): number[] {
  if (!text.includes('\uFFFD')) return [];
  return text.split('\n').flatMap((line, index) => (line.includes('\uFFFD') ? [index + 1] : []));
}

/** The text of a file. Throws `input_too_large`, and the errors of the file system. */
export async function readFileBounded(file: string, maxBytes = MAX_INPUT_BYTES): Promise<string> {
  return await readBounded(createReadStream(file, { end: maxBytes }), file, maxBytes);
}

/** All of a stream, however it is cut. Throws `input_too_large` once there is more; the rest is not read. */
export async function readBounded(
  stream: AsyncIterable<Buffer | string>,
  what: string,
  maxBytes = MAX_INPUT_BYTES,
): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    pieces.push(Buffer.from(piece));
    bytes += piece.length;
    if (bytes > maxBytes)
      throw new EscapementError('input_too_large', `${what} is longer than ${maxBytes} bytes`, {
        fix: 'split it into several files',
      });
  }
  return Buffer.concat(pieces).toString('utf8');
}
