import { Textarea } from '@mantine/core';
import { words } from '../words/index.ts';

/** As acts of the API take it: left out, where nothing is said. */
export interface Said {
  reason?: string;
}

export function saidOf(reason: string): Said {
  const said = reason.trim();
  return said === '' ? {} : { reason: said };
}

interface ReasonFieldProps {
  reason: string;
  onReason: (reason: string) => void;
  /** Default: it may be left empty. */
  isRequired?: boolean;
  /** It is what one writes first. Default false. */
  isFirst?: boolean;
  error?: string | undefined;
}

/** Why something is done, for the audit. */
export function ReasonField({ reason, onReason, isRequired = false, isFirst = false, error }: ReasonFieldProps) {
  return (
    <Textarea
      label={words.common.reason}
      description={words.common.reasonHint}
      value={reason}
      onChange={(event) => onReason(event.currentTarget.value)}
      maxLength={1000}
      required={isRequired}
      error={error}
      rows={2}
      {...(isFirst ? { 'data-autofocus': true } : {})}
    />
  );
}
