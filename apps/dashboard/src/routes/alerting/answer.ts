import type { Answer } from '../../api/request.ts';

export type Saved = Answer<'put', '/v1/alerting'>;
