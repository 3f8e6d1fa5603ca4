import type { components } from '../../api/generated/openapi.ts';

export type Key = components['schemas']['Key'];
