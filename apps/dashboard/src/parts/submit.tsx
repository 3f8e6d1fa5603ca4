import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface SubmitProps {
  words: string;
  isPending: boolean;
  /** Why it cannot be done yet; null: it can. */
  whyNot: string | null;
  /** Beside it: another way out. */
  children?: ReactNode;
}

/** The button that does what a form is for; above it stands why it cannot be done. */
export function Submit({ words, isPending, whyNot, children }: SubmitProps) {
  return (
    <>
      {whyNot === null ? null : <p className="quiet">{whyNot}</p>}
      <Group gap="xs">
        <Button
          type="submit"
          loading={isPending}
          aria-disabled={whyNot !== null}
          {...(whyNot === null ? {} : { 'data-disabled': true })}
        >
          {words}
        </Button>
        {children}
      </Group>
    </>
  );
}
