import { useState } from 'react';
import { CodeField } from '../../parts/code-field.tsx';
import { words } from '../../words/index.ts';
import { type Draft, parsed } from './draft.ts';

interface JsonViewProps {
  draft: Draft | undefined;
  /** Undefined: what stands there is none. */
  onDraft: (draft: Draft | undefined) => void;
}

const { edit: text } = words;

/** All of a definition, as text. */
export function JsonView({ draft, onDraft }: JsonViewProps) {
  const [typed, setTyped] = useState(() => JSON.stringify(draft ?? {}, null, 2));
  return (
    <CodeField
      aria-label={text.definition}
      value={typed}
      onValue={(value) => {
        setTyped(value);
        onDraft(parsed(value));
      }}
      error={draft === undefined ? text.badJson : undefined}
      minRows={16}
    />
  );
}
