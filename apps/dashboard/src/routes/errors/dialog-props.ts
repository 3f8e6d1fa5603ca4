import type { ErrorGroup } from './answer.ts';
import type { ErrorsSearch } from './search.ts';

export interface DialogProps {
  group: ErrorGroup;
  search: ErrorsSearch;
  onClose: () => void;
  onRedriven: (id: string) => void;
}
