export { alertingWarnings } from './alerting-warnings.ts';
export * from './alerts.ts';
export { type KnownToAlerts, knownToAlerts } from './known-to-alerts.ts';
export { maskedAlerting } from './masked-alerting.ts';
export { type AlertingSaved, saveAlerting } from './save-alerting.ts';
export { type WithoutReceiver, withoutReceiver } from './without-receiver.ts';
