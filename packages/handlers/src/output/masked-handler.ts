import {
  type Clock,
  type Handler,
  type HandlerContext,
  type HandlerOutcome,
  outcomeOfThrown,
  type RunLog,
} from '@escapement/core';
import { createMasker, maskWith } from '@escapement/core/mask';
import { placeOfSecretIn, secretKept } from './kept-secret.ts';
import { maskOutcome } from './mask-outcome.ts';

/**
 * A handler of which nothing leaves that shows these secrets: neither log, nor progress, nor outcome. What it asks its worker to
 * keep (items of lists and batches) is not changed in silence: with a secret in it the call is refused, as `secret_kept`.
 */
export function maskedHandler(run: Handler, secrets: readonly string[], clock: Clock): Handler {
  return async (context) => {
    const { log, end } = maskedLog(context.log, secrets);
    const given = { ...context, log, progress: maskedProgress(context, secrets), ask: guardedAsk(context, secrets) };
    try {
      return maskOutcome(await outcomeOf(run, given, clock), secrets);
    } finally {
      end();
    }
  };
}

/** What it throws would show the secret as well. */
async function outcomeOf(run: Handler, context: HandlerContext, clock: Clock): Promise<HandlerOutcome> {
  try {
    return await run(context);
  } catch (thrown) {
    return outcomeOfThrown(thrown, clock.now());
  }
}

function maskedLog(log: RunLog, secrets: readonly string[]): { log: RunLog; end: () => void } {
  if (secrets.length === 0) return { log, end: () => undefined };
  const masker = createMasker(secrets);
  const write = (text: string) => {
    if (text !== '') log.write(text);
  };
  let hasEnded = false;
  return {
    // What comes late is not held back: nobody would end it.
    log: { write: (text) => write(hasEnded ? maskWith(secrets, text) : masker.push(text)) },
    end() {
      hasEnded = true;
      write(masker.end());
    },
  };
}

function maskedProgress({ progress }: HandlerContext, secrets: readonly string[]): HandlerContext['progress'] {
  return (done, total, note) => progress(done, total, note === undefined ? undefined : maskWith(secrets, note));
}

function guardedAsk({ ask }: HandlerContext, secrets: readonly string[]): HandlerContext['ask'] {
  return async (call) => {
    const place = placeOfSecretIn(call, secrets);
    if (place !== undefined) throw secretKept(place);
    return await ask(call);
  };
}
