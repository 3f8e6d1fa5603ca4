export * from './app.ts';
export * from './boot.ts';
export * from './event-lines.ts';
export { createLedgerVerifier, type LedgerVerifierOptions } from './ledger-verifier.ts';
