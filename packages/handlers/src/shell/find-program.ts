import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Where a program is looked for. */
export interface Place {
  cwd: string;
  env: Record<string, string>;
}

/** Throws what execvp(3) would: ENOENT, or EACCES where there is something that cannot be executed. */
export async function checkProgram(program: string, { cwd, env }: Place): Promise<void> {
  const folders = program.includes('/') ? [''] : (env.PATH ?? '').split(':');
  let denied = false;
  for (const folder of folders) {
    const found = await lookAt(resolve(cwd, folder, program));
    if (found === 'program') return;
    denied ||= found === 'denied';
  }
  const code = denied ? 'EACCES' : 'ENOENT';
  throw Object.assign(new Error(`${program}: ${code}`), { code });
}

async function lookAt(path: string): Promise<'program' | 'denied' | 'nothing'> {
  try {
    if (!(await stat(path)).isFile()) return 'denied';
    await access(path, constants.X_OK);
    return 'program';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES' ? 'denied' : 'nothing';
  }
}
