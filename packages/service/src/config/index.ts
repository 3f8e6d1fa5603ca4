export { configurationDoc } from './doc.ts';
export { type Environment, processEnvironment } from './environment.ts';
export {
  type ConfigResult,
  checkConfig,
  describeConfig,
  loadConfig,
} from './load.ts';
export { maskPasswords, maskUrl, maskUrlPath } from './mask.ts';
export { type RedisServerConfig, redisServers } from './redis-servers.ts';
export { isSecretName, type SecretPatterns, secretsFrom } from './secrets.ts';
export type { ConfigProblem, Role } from './variable.ts';
export type { Config } from './variables.ts';
