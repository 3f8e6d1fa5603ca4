import type { components } from '../../api/generated/openapi.ts';

export type Calendar = components['schemas']['CalendarInUse'];
