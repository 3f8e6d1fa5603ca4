import { type Clock, MINUTE, SECOND } from '@escapement/core';

/** So that both sides notice a connection that is dead: after so long without anything that was sent there is a keep-alive. */
const KEEP_ALIVE_MS = 15 * SECOND;
/** Whoever watches is asked again for their token after so long. */
const RENEW_MS = MINUTE;

/** What is due to one that watches, whether there is something to tell or not. */
export interface Deadlines {
  /** Something was sent. */
  sent(): void;
  /** Whether a keep-alive is due. */
  isSilent(): boolean;
  /** Asks again for the token, where that is due. Throws what `renew` throws. */
  renewIfDue(): Promise<void>;
  /** How long nothing is due yet. Milliseconds. */
  leftMs(): number;
}

/** Counted from now on. `renew` throws where whoever watches may not any more. */
export function createDeadlines({ clock, renew }: { clock: Clock; renew: () => Promise<void> }): Deadlines {
  let silentMs = clock.monotonicMs() + KEEP_ALIVE_MS;
  let renewMs = clock.monotonicMs() + RENEW_MS;
  return {
    sent() {
      silentMs = clock.monotonicMs() + KEEP_ALIVE_MS;
    },
    isSilent: () => clock.monotonicMs() >= silentMs,
    async renewIfDue() {
      if (clock.monotonicMs() < renewMs) return;
      await renew();
      renewMs = clock.monotonicMs() + RENEW_MS;
    },
    leftMs: () => Math.min(silentMs, renewMs) - clock.monotonicMs(),
  };
}
