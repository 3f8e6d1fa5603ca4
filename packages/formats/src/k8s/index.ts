export type { CronJobOptions } from './cron-job.ts';
export { type Manifest, readManifests } from './read-manifests.ts';
export { type ManifestsExport, type ManifestsOptions, toManifests } from './to-manifests.ts';
