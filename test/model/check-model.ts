import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const MODEL = fileURLToPath(new URL('../../docs/explanation/model/protocol.pml', import.meta.url));

/** Why the model cannot be checked on this machine; undefined: it can. */
export function missingForModel(): string | undefined {
  return ['spin', 'gcc'].find((program) => spawnSync(program, ['--version']).error !== undefined);
}

export interface ModelCheck {
  /** The first property that fails, by its name in the model; undefined: all hold. */
  broken: string | undefined;
  /** Every state within the bounds was visited. */
  isExhaustive: boolean;
  states: number;
}

const run = promisify(execFile);

/** What each way of a check gives to the compiler and to the verifier that it makes. */
const WAYS = {
  properties: { compile: ['-DSAFETY'], verify: [] },
  /** Whether the fleet can go round in circles, so that nothing ever comes to rest. */
  circles: { compile: ['-DNP'], verify: ['-l'] },
};

/** Explores the model with these bounds, such as `CRASH=1`, and removes the guards that are named as `NO_GUARD_X`. */
export async function checkModel(
  defines: readonly string[],
  way: keyof typeof WAYS = 'properties',
): Promise<ModelCheck> {
  const folder = await mkdtemp(join(tmpdir(), 'escapement-model-'));
  try {
    return judge(await explore(folder, defines, WAYS[way]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function explore(
  cwd: string,
  defines: readonly string[],
  { compile, verify }: { compile: readonly string[]; verify: readonly string[] },
): Promise<string> {
  await run('spin', [...defines.map((define) => `-D${define}`), '-a', MODEL], { cwd });
  // A check that finds an error ends soon: it is not worth the time of an optimizing compiler.
  const effort = defines.some((define) => define.startsWith('NO_GUARD_')) ? '-O0' : '-O1';
  await run('gcc', [effort, '-w', '-DCOLLAPSE', '-DNOREDUCE', '-DNOFAIR', ...compile, '-o', 'pan', 'pan.c'], { cwd });
  // -E: who has nothing to do at the end is no error. The property I6 says what must be true then.
  const { stdout } = await run('./pan', ['-E', '-m100000', '-w22', ...verify], { cwd });
  return stdout;
}

function judge(output: string): ModelCheck {
  const failed = /assertion violated \(+(\w+)\|\|/.exec(output)?.[1];
  const circle = output.includes('non-progress cycle (') ? 'circle' : undefined;
  const errors = /errors: (\d+)/.exec(output)?.[1];
  if (errors === undefined) throw new Error(`the verifier has not come to an end:\n${output}`);
  return {
    broken: failed ?? circle ?? (errors === '0' ? undefined : 'unknown'),
    isExhaustive: output.includes('Full statespace search') && !/too small|Search not completed/.test(output),
    states: Number(/(\d+) states, stored/.exec(output)?.[1]),
  };
}
