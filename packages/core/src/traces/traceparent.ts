/** A span that others continue, as the header `traceparent` names it (W3C Trace Context, level 1). */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Whether whoever made it records its trace. */
  sampled: boolean;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header: version, trace id, parent id, flags. Later versions may add fields. */
const SHAPE = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Null: it is none; who gets such a one goes on as without it, as the standard says. */
export function parseTraceparent(text: string): TraceParent | null {
  const [, version, traceId, spanId, flags, rest] = SHAPE.exec(text.trim()) ?? [];
  if (!version || !traceId || !spanId || !flags) return null;
  if (version === '00' && rest !== undefined) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}
