import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type Ref, useEffect, useRef, useState } from 'react';

export interface TypedFieldProps {
  label: string;
  /** Default: the label. */
  placeholder?: string;
  title?: string;
  className?: string;
  value: string;
  /** Told a moment after one has typed. */
  onValue: (value: string) => void;
  field?: Ref<HTMLInputElement>;
}

const TYPING_MS = 200;
const MOST_LETTERS = 200;

/** A field whose text is in the address: what is shown follows while one types. */
export function TypedField({ label, placeholder = label, title, className, value, onValue, field }: TypedFieldProps) {
  const [typed, setTyped] = useState(value);
  const notified = useRef(value);
  const notify = useDebouncedCallback((next: string) => {
    notified.current = next;
    onValue(next);
  }, TYPING_MS);
  useEffect(() => {
    // What one has typed comes back as the address; only another address, as by the back button, changes the field.
    if (value === notified.current) return;
    notified.current = value;
    setTyped(value);
  }, [value]);
  return (
    <TextInput
      {...(field === undefined ? {} : { ref: field })}
      className={className ?? ''}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      title={title}
      value={typed}
      maxLength={MOST_LETTERS}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        notify(event.currentTarget.value.trim());
      }}
      onKeyDown={(event) => (event.key === 'Escape' ? event.currentTarget.blur() : undefined)}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
