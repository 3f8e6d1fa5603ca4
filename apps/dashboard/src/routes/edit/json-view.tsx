import { Textarea } from '@mantine/core';
import { useState } from 'react';
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
    <Textarea
      aria-label={text.definition}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onDraft(parsed(event.currentTarget.value));
      }}
      error={draft === undefined ? text.badJson : undefined}
      autosize
      minRows={16}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--font-code)', fontSize: 'var(--text-s)' } }}
    />
  );
}
