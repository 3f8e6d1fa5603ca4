import { Modal, type ModalProps } from '@mantine/core';
import { words } from '../words/index.ts';

/** Its header is that of the dialog, and no second one of the page. */
const ATTRIBUTES = { header: { role: 'presentation' } };

/** A dialog over the page. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  return (
    <Modal
      opened
      lockScroll={false}
      centered
      closeButtonProps={{ 'aria-label': words.common.close }}
      attributes={ATTRIBUTES}
      {...props}
    />
  );
}
