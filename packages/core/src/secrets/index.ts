// Which secrets of a worker are for which task.

export { secretsNamedBy, secretUseOf } from './named-secrets.ts';
export {
  judgeSecret,
  parseSecretRules,
  SECRET_RULES_ALLOWED,
  type SecretRules,
  type SecretUse,
} from './secret-rules.ts';
