import { EscapementError, handlerFacts, type TaskDefinition } from '@escapement/core';
import { judgeSecret, parseSecretRules, type SecretRules, secretUseOf } from '@escapement/core/secrets';
import { type Database, secretRulesOfPool, WORKER_GONE_MS } from '@escapement/store';

/**
 * Throws `secret_bound` where a task names a secret that no living worker of its pool would give it. Workers alone know the
 * rules: if none lives, the task is saved, and its runs are judged by the worker that takes them.
 */
export async function checkSecrets(db: Database, definition: TaskDefinition): Promise<void> {
  const names = handlerFacts(definition.handler).secrets;
  if (names.length === 0) return;
  const workers = (await secretRulesOfPool(db, definition.pool, { deadMs: WORKER_GONE_MS })).map(readRules);
  const use = secretUseOf(definition);
  for (const name of names) {
    const refused = workers.map((rules) => rules && judgeSecret(rules, name, use));
    const [first] = refused;
    if (first && refused.every((each) => each !== undefined)) throw first;
  }
}

/** Undefined: a worker of another version wrote what this one cannot read. It judges when it runs the task. */
function readRules(text: string): SecretRules | undefined {
  try {
    return parseSecretRules(text);
  } catch (error) {
    if (error instanceof EscapementError) return undefined;
    throw error;
  }
}
