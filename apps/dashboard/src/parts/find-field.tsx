import { useRef } from 'react';
import { SHORTCUTS } from '../keyboard/shortcuts.ts';
import { useShortcuts } from '../keyboard/use-shortcuts.ts';
import { TypedField, type TypedFieldProps } from './typed-field.tsx';

/** The field of a screen that the key for finding leads to. */
export function FindField({ title, ...props }: Omit<TypedFieldProps, 'field'>) {
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ search: () => field.current?.focus() });
  return <TypedField field={field} title={`${title ?? props.label} (${SHORTCUTS.search.keys})`} {...props} />;
}
