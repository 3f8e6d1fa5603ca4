// npm run pack -- [--out FOLDER] [--repository URL]: writes each package that is published into a tarball. Publish these, not the
// workspaces: `npm publish FOLDER/*.tgz`, one after another.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../process.mjs';
import { build } from './build.ts';
import { pack } from './pack.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(root, 'dist', 'packages') },
    // npm asks for it where a package is published with its provenance.
    repository: { type: 'string' },
  },
});

await build();
const packed = await pack({ out: path.resolve(values.out), repository: values.repository });
for (const { name, version, file, bytes } of packed)
  console.log(`${`${name}@${version}`.padEnd(34)} ${(bytes / 1000).toFixed(0).padStart(5)} kB  ${file}`);
