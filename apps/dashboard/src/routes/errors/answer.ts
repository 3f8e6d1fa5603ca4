import type { components } from '../../api/generated/openapi.ts';

export type ErrorGroup = components['schemas']['ErrorGroup'];
