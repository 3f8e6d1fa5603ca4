import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/load-part.ts';
import { words } from '../../words/index.ts';
import { ActionButton } from '../action-button.tsx';

/** It comes when it is asked for. */
const BulkResults = lazyPart(() => import('./results.tsx'));

/** Shows what a bulk action was done to so far. */
export function ResultsButton({ id }: { id: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <ActionButton words={words.bulk.results.button} whyNot={null} onClick={() => setIsOpen(true)} />
      {isOpen ? (
        <Suspense fallback={null}>
          <BulkResults id={id} onClose={() => setIsOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
