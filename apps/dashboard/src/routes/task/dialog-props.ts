import type { TaskDescription } from './answer.ts';

export interface DialogProps {
  task: TaskDescription;
  onClose: () => void;
}
