import type { components } from '../../api/generated/openapi.ts';

export type AlertOf = components['schemas']['Alert'];
