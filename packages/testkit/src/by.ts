import { actionOf, type By } from '@escapement/core';

/** The act of a person of that name at a command line. */
export function by(name: string, reason?: string): By {
  return actionOf({ kind: 'cli', id: name, name, address: null }, reason);
}
