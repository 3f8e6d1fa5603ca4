import { EscapementError, handlerFacts, type TaskDefinition } from '@escapement/core';
import { DEFAULT_EGRESS, type EgressPolicy, judgeUrl } from '@escapement/core/egress';

/**
 * Throws `egress_denied` where a URL of a task names an address that is not open; names are judged when they are looked up.
 */
export function checkEgress(definition: TaskDefinition, policy: EgressPolicy = DEFAULT_EGRESS): void {
  for (const { place, url } of urlsOf(definition)) {
    const denied = judgeUrl(policy, new URL(url));
    if (denied)
      throw new EscapementError('egress_denied', `task ${definition.name}: ${place}: ${denied.message}`, {
        ...(denied.fix === undefined ? {} : { fix: denied.fix }),
      });
  }
}

function urlsOf({ handler, notify }: TaskDefinition): { place: string; url: string }[] {
  const webhooks = (notify?.webhook ?? []).map((url, index) => ({ place: `notify.webhook.${index}`, url }));
  const { url } = handlerFacts(handler);
  return url === null ? webhooks : [{ place: 'handler.url', url }, ...webhooks];
}
