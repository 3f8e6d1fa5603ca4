// `npm run release`: the steps of a release, for a maintainer. docs/how-to/release.md
import { run } from './process.mjs';
import { setUp } from './setup.mjs';

await setUp();
const fromSource = ['--conditions=@escapement/source', '--import', 'tsx'];
const { code } = await run(process.execPath, [...fromSource, 'scripts/release/main.ts', ...process.argv.slice(2)]);
process.exit(code);
