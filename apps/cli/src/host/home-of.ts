import { readFileSync } from 'node:fs';

/** The home of a user, as the system's list of users says; undefined: it has none. */
export function homeOf(user: string): string | undefined {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((each) => each.startsWith(`${user}:`));
    return line?.split(':')[5];
  } catch {
    return undefined;
  }
}
