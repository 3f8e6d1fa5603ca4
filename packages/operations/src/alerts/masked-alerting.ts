import type { Alerting, ReceiverSpec } from '@escapement/core/alerts';
import { MASK, maskUrlPath } from '@escapement/core/mask';

/** The document of alerts for whom may look and not edit: without keys, tokens, and the paths of URLs, which are often their secret. */
export function maskedAlerting({ receivers, ...document }: Alerting): Alerting {
  const shown = Object.entries(receivers).map(([name, receiver]) => [name, masked(receiver)]);
  return { ...document, receivers: Object.fromEntries(shown) };
}

function masked(receiver: ReceiverSpec): ReceiverSpec {
  return {
    ...receiver,
    ...('url' in receiver && typeof receiver.url === 'string' ? { url: maskUrlPath(receiver.url) } : {}),
    ...('routingKey' in receiver && typeof receiver.routingKey === 'string' ? { routingKey: MASK } : {}),
    ...('token' in receiver && typeof receiver.token === 'string' ? { token: MASK } : {}),
  };
}
