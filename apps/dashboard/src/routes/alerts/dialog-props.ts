import type { AlertOf } from './answer.ts';

export interface DialogProps {
  alert: AlertOf;
  onClose: () => void;
}
