import type { components } from '../../api/generated/openapi.ts';

export type List = components['schemas']['WorkLists']['items'][number];
