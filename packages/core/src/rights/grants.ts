import type { LabelSelector } from './labels.ts';
import type { ExtraRight, Role } from './roles.ts';

/** What somebody may do, and where. */
export interface Grant {
  readonly role: Role;
  /** Beside those of the role. */
  readonly rights: readonly ExtraRight[];
  readonly namespace: string;
  /** The tasks it is for. Null: all, and all else in the namespace. */
  readonly selector: LabelSelector | null;
}

/** `all`: nothing is asked, as of processes of the fleet and of whoever has the database's password. */
export type Grants = 'all' | readonly Grant[];
