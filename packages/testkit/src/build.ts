import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BUILT_TESTS, root } from './built.ts';

/** Builds what tests start as processes, as far as it is older than its sources. Rejects with what the compiler says. */
export async function build(): Promise<void> {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  try {
    await promisify(execFile)(tsc, ['-b'], { cwd: root });
  } catch (error) {
    const said = error instanceof Error && 'stdout' in error ? error.stdout : error;
    throw new Error(`the processes of the tests could not be built:\n${said}`, { cause: error });
  }
  forgetDeleted();
}

/** The compiler leaves what it has made of a file that is gone; a folder of tasks would still have it. */
function forgetDeleted(): void {
  const folder = join(root, BUILT_TESTS);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const source = join(root, file.replace(/\.js$/, '.ts'));
    if (file.endsWith('.js') && !existsSync(source)) rmSync(join(folder, file));
  }
}
