import type { RunDescription } from './answer.ts';

export interface DialogProps {
  run: RunDescription;
  onClose: () => void;
}
