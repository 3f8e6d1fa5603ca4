import { Textarea } from '@mantine/core';

interface CodeFieldProps {
  /** Shown above it; `aria-label` where the panel around it says it already. */
  label?: string;
  'aria-label'?: string;
  description?: string;
  value: string;
  onValue: (value: string) => void;
  error?: string | undefined;
  isRequired?: boolean;
  minRows: number;
  /** Default: as many as there are lines. */
  maxRows?: number;
}

/** A field for text that programs read: JSON, lines of JSON. */
export function CodeField({ value, onValue, isRequired = false, ...others }: CodeFieldProps) {
  return (
    <Textarea
      {...others}
      value={value}
      onChange={(event) => onValue(event.currentTarget.value)}
      required={isRequired}
      autosize
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--font-code)', fontSize: 'var(--text-s)' } }}
    />
  );
}
