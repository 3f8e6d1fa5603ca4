export * from './alerts.ts';
export { type AlertingSaved, checkAlerting, saveAlerting } from './save-alerting.ts';
