import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { components } from '../../api/generated/openapi.ts';
import { Answer } from '../../parts/answer.tsx';
import { Bar } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';

interface CountedProps {
  of: UseQueryResult<components['schemas']['BulkPreview']>;
  children: ReactNode;
}

/** What will happen, once it is known to how many; or that there is nothing any more. */
export function Counted({ of, children }: CountedProps) {
  return (
    <Answer of={of} skeleton={<Bar width="80%" />}>
      {({ total, dropped }) => (total + dropped === 0 ? <p>{words.recovery.nothingLeft}</p> : children)}
    </Answer>
  );
}
