export type { AlertMessage, AlertNote, AlertRun, AlertSubject, Severity } from './message.ts';
export { SEVERITIES } from './message.ts';
export { type Hidden, type ReceiverSpec, receiverSpec } from './receiver.ts';
