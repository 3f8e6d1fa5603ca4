// What the main programs share: start and end of a process, its log lines, the ledger verifier.

export * from './app.ts';
export * from './boot.ts';
export * from './event-lines/event-lines.ts';
export { createLedgerVerifier, type LedgerVerifierOptions } from './ledger-verifier.ts';
export { createMetrics, type Metrics, type MetricsOptions, type MetricsSources } from './metrics/metrics.ts';
export * from './program.ts';
export { openProgramDatabase } from './program-database.ts';
export { type Claim, type ProcessHost, shareProcess } from './share-process.ts';
