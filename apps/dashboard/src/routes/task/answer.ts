import type { components } from '../../api/generated/openapi.ts';

export type TaskDescription = components['schemas']['TaskDescription'];
