import { CopyButton } from '../../parts/copy.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import type { RunDescription } from './screen.tsx';

/** The same question for a terminal. */
export function CopyAs({ run: { id } }: { run: RunDescription }) {
  const { copyAs, cli, curl } = words.run;
  return (
    <div className={styles.acts}>
      <CopyButton label={`${copyAs} ${cli}`} text={`npx escapement runs show ${id}`} />
      <CopyButton
        label={`${copyAs} ${curl}`}
        text={`curl -H "Authorization: Bearer $ESCAPEMENT_TOKEN" ${window.location.origin}/v1/runs/${id}`}
      />
    </div>
  );
}
