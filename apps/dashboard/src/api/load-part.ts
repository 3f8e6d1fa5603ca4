import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, lazy } from 'react';
import { loadFailedStyles } from './failed-styles.ts';

const SECOND = 1000;
const FIRST_WAIT_MS = 1 * SECOND;
const LONGEST_WAIT_MS = 10 * SECOND;
/** What Chromium, Firefox, Safari and Vite say where a file of the program could not be loaded. */
const NOT_LOADED =
  /^(Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS)/;

/** The server is there, and does not have a part of this program: it serves another version by now. */
export class PartGone extends Error {
  override readonly name = 'PartGone';
}

export interface LoadOptions {
  /** Whether the server answers. */
  isThere: () => Promise<boolean>;
  wait: (ms: number) => Promise<void>;
}

/**
 * Loads a part of the program. While the server is away it is asked for again, ever later: what was opened meanwhile comes once the server
 * is back. Throws `PartGone`, and what the part itself throws.
 */
export async function loadPart<Part>(
  load: () => Promise<Part>,
  { isThere, wait }: LoadOptions = { isThere: serverIsThere, wait: delay },
): Promise<Part> {
  let wasThere = false;
  for (let tries = 0; ; tries++) {
    try {
      await loadFailedStyles();
      return await load();
    } catch (error) {
      if (!(error instanceof Error) || !NOT_LOADED.test(error.message)) throw error;
      const isNow = await isThere();
      // Before and after: it was not away in between.
      if (wasThere && isNow) throw new PartGone(error.message, { cause: error });
      wasThere = isNow;
    }
    await wait(Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS));
  }
}

/** A component that is loaded when it is drawn first, or ahead by `preload`. */
export function lazyPart<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let part: ReturnType<typeof load> | undefined;
  const once = () => {
    part ??= loadPart(load);
    return part;
  };
  // What could not be loaded is told of when it is drawn.
  const preload = () => void once().catch(() => undefined);
  return Object.assign(lazy(once), { preload });
}

/** The screen of a route, loaded when it is opened. */
export function lazyScreen<Name extends string>(
  load: () => Promise<{ readonly [N in Name]: ComponentType }>,
  name: Name,
) {
  return lazyRouteComponent(() => loadPart(load), name);
}

async function serverIsThere(): Promise<boolean> {
  try {
    const { status } = await fetch('/', { method: 'HEAD', cache: 'no-store' });
    return status < 500;
  } catch {
    return false;
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
