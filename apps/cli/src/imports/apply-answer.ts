import type { AnswerOf } from '@escapement/api/calls';
import type { applyTasks } from '@escapement/api/routes';

export type ApplyAnswer = AnswerOf<typeof applyTasks>;
