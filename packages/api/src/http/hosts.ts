import { isLoopback } from '@escapement/core/egress';

/**
 * Whether a `Host` names this server: one that is configured, or this machine to itself. A page elsewhere that leads a browser here under a
 * name of its own (DNS rebinding) is refused.
 */
export function hostCheck(known: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(known.map((host) => host.toLowerCase()));
  return (host) => {
    const given = host?.toLowerCase() ?? '';
    if (names.has(given)) return true;
    if (!URL.canParse(`http://${given}`)) return false;
    const { hostname } = new URL(`http://${given}`);
    return isLoopback(hostname);
  };
}
