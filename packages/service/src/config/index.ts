export {
  BUILD_FOLDER,
  BUILD_MANIFEST,
  type BuildManifest,
  type FoundBuild,
  findBuild,
  withBuild,
} from './build-manifest.ts';
export { configurationDoc } from './doc.ts';
export { type Environment, processEnvironment, withVariables } from './environment.ts';
export {
  type ConfigResult,
  checkConfig,
  describeConfig,
  loadConfig,
  receiverSecret,
} from './load.ts';
export { type PlainTextServer, plainTextServers, plainTextWords, type ServerSettings } from './plain-text.ts';
export { DEFAULT_TASKS, type ProjectSettings, withProjectSettings } from './project.ts';
export { type RedisServerConfig, redisServers } from './redis-servers.ts';
export { secretsFrom } from './secrets.ts';
export { signingKey } from './signing-key.ts';
export { taskEnvironment } from './task-environment.ts';
export type { ConfigProblem, Role } from './variable.ts';
export type { Config } from './variables.ts';
