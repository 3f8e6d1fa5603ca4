// Which secrets of a worker are for which task.

export {
  judgeSecret,
  parseSecretRules,
  SECRET_RULES_ALLOWED,
  type SecretRules,
  type SecretUse,
} from './secret-rules.ts';
export { secretUseOf } from './secret-use.ts';
