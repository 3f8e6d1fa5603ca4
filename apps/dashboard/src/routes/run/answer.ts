import type { components } from '../../api/generated/openapi.ts';

export type RunDescription = components['schemas']['RunDescription'];
