import { judgeUrl } from '@escapement/core/egress';
import { maskUrlPath } from '@escapement/core/mask';
import { type Environment, givenValue } from './environment.ts';
import type { ConfigProblem } from './variable.ts';
import { VARIABLES } from './variables.ts';

/** The fleet's own webhooks obey the same policy as those of tasks: one that it refuses would never be called. */
export function egressProblems(env: Environment): ConfigProblem[] {
  const { egress, notifyWebhook } = VARIABLES;
  const policy = egress.schema.safeParse(givenValue(env, egress.env) ?? egress.default).data;
  const urls = notifyWebhook.schema.safeParse(givenValue(env, notifyWebhook.env) ?? '').data ?? [];
  if (policy === undefined) return [];
  return urls.flatMap((url) => {
    const denied = judgeUrl(policy, new URL(url));
    if (!denied) return [];
    const message = `${notifyWebhook.env} has ${maskUrlPath(url)}: ${denied.message}`;
    return [{ variable: notifyWebhook.env, message, fix: denied.fix ?? 'open the address' }];
  });
}
