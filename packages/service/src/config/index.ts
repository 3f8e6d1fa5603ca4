export { configurationDoc } from './doc.ts';
export { processEnvironment } from './environment.ts';
export {
  type ConfigProblem,
  type ConfigResult,
  checkConfig,
  describeConfig,
  type Environment,
  loadConfig,
} from './load.ts';
export { maskPasswords, maskUrl, maskUrlPath } from './mask.ts';
export { isSecretName, type SecretPatterns, secretsFrom } from './secrets.ts';
export type { Config, Role } from './variables.ts';
