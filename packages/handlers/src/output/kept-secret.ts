import { EscapementError, type HandlerCall, type RunEffects } from '@escapement/core';
import { maskWith } from '@escapement/core/mask';

/** What a run leaves to be kept, and has a secret in it; undefined: nothing does. */
export function placeOfSecret({ state, chain = [] }: RunEffects, secrets: readonly string[]): string | undefined {
  if (state && holdsSecret(state.value, secrets)) return 'the state';
  const chained = chain.find(({ payload }) => holdsSecret(payload, secrets));
  return chained && `the payload for ${chained.task}`;
}

/** The same of what a handler asks its worker to keep. */
export function placeOfSecretIn(call: HandlerCall, secrets: readonly string[]): string | undefined {
  if (secrets.length === 0 || !holdsSecret(call, secrets)) return undefined;
  switch (call.call) {
    case 'batch_add':
      return 'an item of a batch';
    case 'list_add':
      return `an item for list ${maskWith(secrets, call.list)}`;
    default:
      return 'what the handler asks for';
  }
}

export function secretKept(place: string): EscapementError {
  return new EscapementError('secret_kept', `${place} holds the value of a secret, which would be stored as it is`, {
    fix: 'keep its name instead, and take the value from the secrets when it is needed',
  });
}

function holdsSecret(value: unknown, secrets: readonly string[]): boolean {
  if (typeof value === 'string') return maskWith(secrets, value) !== value;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => holdsSecret(name, secrets) || holdsSecret(inner, secrets));
}
