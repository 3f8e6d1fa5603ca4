export * from './alerts.ts';
export { type AlertingSaved, saveAlerting } from './save-alerting.ts';
