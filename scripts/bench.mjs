// Runs a benchmark from the build, as production runs: no loader, no TypeScript in the processes that are measured.
import path from 'node:path';
import { bin, root, run } from './process.mjs';
import { setUp } from './setup.mjs';

await setUp();
const built = await run(bin('tsc'), ['-b', 'bench', 'apps/scheduler', 'apps/worker', 'apps/api'], { capture: true });
if (built.code !== 0) {
  console.error(built.output);
  process.exit(1);
}
const { code } = await run(process.execPath, [path.join(root, 'bench/dist/main.js'), ...process.argv.slice(2)]);
process.exit(code);
