import type { AnswerOf } from '@escapement/api/calls';
import type { patchTask } from '@escapement/api/routes';

/** What has become of a save, without what it has not. */
export function savedView({ kind, version, effectiveAt, effect }: AnswerOf<typeof patchTask>) {
  return { kind, ...(version === null ? {} : { version }), ...(effectiveAt === null ? {} : { effectiveAt }), effect };
}
