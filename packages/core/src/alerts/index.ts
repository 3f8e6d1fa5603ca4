export {
  type Alerting,
  type AlertingInput,
  type AlertRoute,
  type AlertRule,
  alertingSpec,
  DEFAULT_ALERTING,
} from './alerting.ts';
export * from './condition.ts';
export { type Inhibiting, inhibits } from './inhibition.ts';
export { parseMatch } from './match.ts';
export type { AlertCounts, AlertMessage, AlertNote, AlertRun, AlertSubject, Severity } from './message.ts';
export { SEVERITIES } from './message.ts';
export { type Hidden, type ReceiverSpec, receiverSpec, TEMPLATE_VALUES, type TemplateValue } from './receiver.ts';
export { calendarsOfRoutes, isOpen as isRouteOpen, routesOutside } from './route-hours.ts';
export * from './routing.ts';
export * from './rules-for.ts';
