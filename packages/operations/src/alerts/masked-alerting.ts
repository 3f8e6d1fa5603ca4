import { type Alerting, maskUrlPath } from '@escapement/core';

/** The document of alerts for whom may look and not edit: the path of a receiver's URL is often its secret. */
export function maskedAlerting({ receivers, ...document }: Alerting): Alerting {
  const shown = Object.entries(receivers).map(([name, receiver]) => [
    name,
    'url' in receiver && typeof receiver.url === 'string' ? { ...receiver, url: maskUrlPath(receiver.url) } : receiver,
  ]);
  return { ...document, receivers: Object.fromEntries(shown) };
}
