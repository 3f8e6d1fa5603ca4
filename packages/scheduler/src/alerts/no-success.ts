import { formatSpan } from '@escapement/core';
import { lastSuccesses } from '@escapement/store';
import type { InTime } from './judge-in-time.ts';

/** A task has not succeeded for too long. */
export const NO_SUCCESS: InTime = {
  kind: 'no-success',
  verb: 'succeed',
  read: lastSuccesses,
  judge({ when }, { name }, { at, createdAt, shadowUntil, now }) {
    if (when.kind !== 'no-success') throw new TypeError(`a rule of ${when.kind}`);
    const seen = at ?? createdAt;
    const since = shadowUntil && shadowUntil > seen ? shadowUntil : seen;
    const untilMs = since.getTime() + when.forMs;
    if (untilMs > now.getTime()) return { untilMs };
    const what = at ? `its last success was at ${at.toISOString()}` : 'no run of it that is kept has succeeded';
    return { said: { summary: `${name} has not succeeded for ${formatSpan(when.forMs)}`, since, why: [what] } };
  },
};
