// `npm run pack`: builds the packages as they are published, one tarball each.
import { run } from './process.mjs';
import { setUp } from './setup.mjs';

await setUp();
const fromSource = ['--conditions=@escapement/source', '--import', 'tsx'];
const { code } = await run(process.execPath, [...fromSource, 'scripts/pack/main.ts', ...process.argv.slice(2)]);
process.exit(code);
