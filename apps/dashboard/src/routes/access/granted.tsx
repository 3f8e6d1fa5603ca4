import { words } from '../../words/index.ts';
import type { User } from './grant.ts';
import styles from './screen.module.css';

const { access: text } = words;

/** What somebody may do, and on what. */
export function Granted({ of: { role, rights, scope } }: { of: Pick<User, 'role' | 'rights' | 'scope'> }) {
  return (
    <>
      {text.may(role, rights)}
      {scope === null ? null : <div className={styles.small}>{text.onlyFor(scope)}</div>}
    </>
  );
}
