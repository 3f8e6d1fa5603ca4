import type { Draft } from './draft.ts';

export interface FieldsProps {
  draft: Draft;
  onDraft: (draft: Draft) => void;
}
