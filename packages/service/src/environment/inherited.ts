import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC as /proc/PID/fdinfo shows it, in octal digits. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes what whoever started this process left open and every process started from here would have too. Node's own
 * descriptors are closed on exec, and so are the first ones inherited; those with higher numbers it does not look at.
 */
export function closeInheritedDescriptors(): void {
  for (const name of descriptors()) {
    const descriptor = Number(name);
    if (descriptor > 2 && isInherited(descriptor)) closeSync(descriptor);
  }
}

function descriptors(): string[] {
  try {
    return readdirSync('/proc/self/fd');
  } catch {
    return [];
  }
}

/** False for one that is gone again, as that by which the folder was read. */
function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
