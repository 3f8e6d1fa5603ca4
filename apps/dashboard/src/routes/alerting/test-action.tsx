import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTestReceiver } from '../../actions/alerts.ts';
import type { components } from '../../api/generated/openapi.ts';
import { get } from '../../api/get.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

type Delivery = components['schemas']['Delivery'];

const { alerting: text, common } = words;
/** Until it has ended. */
const LOOK_MS = 1000;

/** Sends a receiver a test, and says what became of it. */
export function TestAction({ name }: { name: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const [delivery, setDelivery] = useState<string | null>(null);
  const mayEdit = useMayAll('edit');
  return (
    <>
      <ActionButton
        words={text.test}
        whyNot={mayEdit ? null : common.notAllowedForAll('edit')}
        onClick={() => setIsOpen(true)}
      />
      {delivery === null ? null : <Result key={delivery} id={delivery} />}
      {isOpen ? <TestDialog name={name} onClose={() => setIsOpen(false)} onSent={setDelivery} /> : null}
    </>
  );
}

interface TestDialogProps {
  name: string;
  onClose: () => void;
  onSent: (delivery: string) => void;
}

function TestDialog({ name, onClose, onSent }: TestDialogProps) {
  const { mutate, isPending, error } = useTestReceiver();
  const onSuccess = ({ id }: { id: string }) => {
    onSent(id);
    onClose();
  };
  return (
    <ReasonDialog
      title={text.testTitle(name)}
      doIt={text.doTest}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ path: { name }, body: said }, { onSuccess })}
    >
      {text.testWords}
    </ReasonDialog>
  );
}

function Result({ id }: { id: string }) {
  const maySee = useMayAll('read-payload');
  const { data, error } = useQuery({
    ...get('/v1/deliveries/{id}', { path: { id } }),
    enabled: maySee,
    refetchInterval: ({ state }) => (state.data && state.data.state !== 'pending' ? false : LOOK_MS),
  });
  if (error && !data) return <ProblemNote error={error} />;
  return (
    <div className={`${styles.small} ${styles.result}`} role="status">
      {maySee ? resultOf(data) : text.testUnseen}
    </div>
  );
}

function resultOf(delivery: Delivery | undefined): string {
  if (delivery?.state === 'sent') return text.testSent;
  if (delivery?.state === 'dropped') return text.testDropped(delivery.error ?? text.noError);
  if (!delivery || delivery.error === null) return text.testPending;
  return text.testAgain(delivery.tries, delivery.error);
}
