import { SECOND } from '@escapement/core';
import { maskUrlPath } from '../config/mask.ts';
import type { Notice, NoticeResult } from './notice.ts';
import { noticeJson } from './render.ts';

const TIMEOUT_MS = 10 * SECOND;

/** Statuses below 500 that say "later", not "never". */
const LATER = new Set([408, 425, 429]);

/** POSTs a notice as JSON. Redirects are not followed: the answer must come from where the user pointed. */
export async function sendWebhook(notice: Notice, url: string, fetch_: typeof fetch): Promise<NoticeResult> {
  if (!URL.canParse(url)) return { status: 'failed', permanent: true, error: 'webhook not called: its URL is not one' };
  const shown = maskUrlPath(url);
  try {
    const response = await fetch_(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Escapement', 'idempotency-key': notice.id },
      body: JSON.stringify(noticeJson(notice)),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return { status: 'sent', detail: `${response.status} from ${shown}` };
    return refusal(response, shown);
  } catch (error) {
    return { status: 'failed', permanent: false, error: `no answer from ${shown}: ${causeOf(error)}` };
  }
}

function refusal(response: Response, shown: string): NoticeResult {
  const permanent = response.status < 500 && !LATER.has(response.status);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    status: 'failed',
    permanent,
    error: `${shown} answered with status ${response.status}`,
    ...(!permanent && seconds >= 0 && Number.isFinite(seconds) && { retryAfterMs: Math.ceil(seconds * SECOND) }),
  };
}

/** `fetch` says only "fetch failed"; why is in its cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message ? cause.message : error.message;
}
