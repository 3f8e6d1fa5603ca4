export { type Migrated, type MigrateOptions, migrate, pendingMigrations } from './migrate.ts';
