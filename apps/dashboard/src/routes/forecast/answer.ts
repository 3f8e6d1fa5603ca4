import type { components } from '../../api/generated/openapi.ts';

export type Forecast = components['schemas']['Forecast'];
