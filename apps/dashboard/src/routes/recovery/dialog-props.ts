import type { Which } from './held-act.ts';

export interface DialogProps {
  which: Which;
  onClose: () => void;
  onAsked: (id: string) => void;
}
