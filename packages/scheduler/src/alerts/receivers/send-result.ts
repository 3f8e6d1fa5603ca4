/** What became of one try. `permanent`: another try would end the same way. */
export type SendResult =
  | { status: 'sent'; detail: string }
  | { status: 'failed'; permanent: boolean; error: string; retryAfterMs?: number };
