import type { AnswerOf } from '@escapement/api/calls';
import type { applyTasks } from '@escapement/api/routes';

export type Told = AnswerOf<typeof applyTasks>;
