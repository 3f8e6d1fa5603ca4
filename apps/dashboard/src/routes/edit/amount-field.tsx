import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { numberOf } from './schedule-values.ts';

interface AmountFieldProps {
  label: string;
  placeholder?: string;
  /** Milliseconds. */
  ms: number | undefined;
  /** Of one of which the field tells how many there are. */
  unitMs: number;
  required?: boolean;
  onMs: (ms: number | undefined) => void;
}

/** So many of a unit of time. What is typed stays as it is typed. */
export function AmountField({ label, placeholder, ms, unitMs, required = false, onMs }: AmountFieldProps) {
  const [typed, setTyped] = useState<number | string>(ms === undefined ? '' : ms / unitMs);
  return (
    <NumberInput
      label={label}
      {...(placeholder === undefined ? {} : { placeholder })}
      value={typed}
      onChange={(value) => {
        setTyped(value);
        const amount = numberOf(value);
        onMs(amount === undefined ? undefined : Math.round(amount * unitMs));
      }}
      min={0}
      required={required}
    />
  );
}
