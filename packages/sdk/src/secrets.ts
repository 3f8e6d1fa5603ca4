import { EscapementError } from '@escapement/core';

/** The secrets of a task, by name. A name that the task did not declare throws, so that `undefined` is never used as a secret. */
export function declaredSecrets(
  task: string,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return new Proxy(Object.freeze({ ...given }), {
    get(secrets, name) {
      // Symbols, as `util.inspect` asks for.
      if (typeof name !== 'string') return undefined;
      if (Object.hasOwn(secrets, name)) return secrets[name];
      throw new EscapementError('secret_not_declared', `task ${task} declares no secret ${name}`, {
        fix: `give defineTask secrets: ['${name}']`,
      });
    },
  });
}
