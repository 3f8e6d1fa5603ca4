import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { textsOf } from './calendar-draft.ts';

interface ListFieldProps {
  label: string;
  description: string;
  texts: readonly string[];
  error: string | undefined;
  onTexts: (texts: readonly string[] | undefined) => void;
}

/** Some texts with commas between them. What is typed stays as it is typed; an empty one is left out. */
export function ListField({ label, description, texts, error, onTexts }: ListFieldProps) {
  const [typed, setTyped] = useState(texts.join(', '));
  return (
    <TextInput
      label={label}
      description={description}
      value={typed}
      error={error}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        const given = textsOf(event.currentTarget.value);
        onTexts(given.length === 0 ? undefined : given);
      }}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
