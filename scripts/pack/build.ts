import { buildSite } from '../../apps/dashboard/build/site.ts';
import { bin, run } from '../process.mjs';

/** Builds what the packages have in them, as far as it is older than its sources. The command line is bundled as it is packed. */
export async function build(): Promise<void> {
  const { code, output } = await run(bin('tsc'), ['-b'], { capture: true });
  if (code !== 0) throw new Error(`the packages could not be built:\n${output}`);
  await buildSite();
}
