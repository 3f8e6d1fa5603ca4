import { Modal, type ModalProps } from '@mantine/core';
import { useSessionOver } from '../me/session-over.ts';
import { words } from '../words/index.ts';
import { useFocusBack } from './use-focus-back.ts';

/** Its header is that of the dialog, and no second one of the page. */
const ATTRIBUTES = { header: { role: 'presentation' } };

/** A dialog over the page. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const isBeneath = useSessionOver();
  useFocusBack();
  return (
    <Modal
      opened
      lockScroll={false}
      closeOnEscape={!isBeneath}
      trapFocus={!isBeneath}
      centered
      closeButtonProps={{ 'aria-label': words.common.close }}
      attributes={ATTRIBUTES}
      {...props}
    />
  );
}
