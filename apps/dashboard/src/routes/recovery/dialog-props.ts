import type { Which } from './held-action.ts';

export interface DialogProps {
  which: Which;
  onClose: () => void;
  onAsked: (id: string) => void;
}
