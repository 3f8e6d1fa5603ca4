import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const WORTH_IT = /\.(js|css|html|svg)$/;
const LEAST_BYTES = 1024;

/** Writes each file once more as gzip and as brotli, so that the server compresses nothing while it answers. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    // Of the files as they are written: Vite still changes chunks after it has generated them.
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((each) => WORTH_IT.test(each))) {
        const file = path.join(dir, name);
        const source = readFileSync(file);
        if (source.length < LEAST_BYTES) continue;
        writeFileSync(`${file}.br`, brotliCompressSync(source, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }));
        writeFileSync(`${file}.gz`, gzipSync(source, { level: 9 }));
      }
    },
  };
}
