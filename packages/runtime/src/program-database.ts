import { type Config, errorsOf, type OnError } from '@escapement/service';
import { type Database, openDatabase } from '@escapement/store';

export interface ProgramDatabase {
  config: Config<'scheduler'> | Config<'worker'> | Config<'api'>;
  /** Shown in pg_stat_activity, behind `escapement`. */
  name: string;
  onError: OnError;
  /** Default: that of the ledger. */
  url?: string;
}

/** Opens a database as the configuration of a program says. */
export function openProgramDatabase({ config, name, onError, url = config.databaseUrl }: ProgramDatabase): Database {
  return openDatabase({
    url,
    namespace: config.namespace,
    applicationName: `escapement ${name}`,
    connections: config.databaseConnections,
    statementTimeoutMs: config.statementTimeoutMs,
    lockTimeoutMs: config.lockTimeoutMs,
    idleInTransactionTimeoutMs: config.idleInTransactionTimeoutMs,
    onError: errorsOf('postgres', onError),
  });
}
