import type { components } from '../../api/generated/openapi.ts';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

/** What people and programs did to a run, and why. */
export function Audit({ entries }: { entries: readonly components['schemas']['AuditEntry'][] }) {
  const { audit, nobody, refused } = words.run;
  return (
    <Panel title={audit} flush>
      {entries.length === 0 ? (
        <Empty title={nobody} />
      ) : (
        <ul className={styles.list}>
          {entries.map(({ at, principal, action, reason, refused: isRefused }) => (
            <li key={`${at} ${action}`}>
              <div className={styles.line}>
                <strong>{action}</strong>
                <span>{principal.name}</span>
                {isRefused ? <span className="quiet">{refused}</span> : null}
                <Instant at={at} as="relative" />
              </div>
              {reason === null ? null : <div className="quiet">{reason}</div>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
