import { useMay } from '../../me/me.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { words } from '../../words/index.ts';
import type { RunDescription } from './answer.ts';
import styles from './screen.module.css';
import { sdkCode } from './sdk-code.ts';

/** The same question for a terminal, and code that starts the same once more. */
export function CopyAs({ run }: { run: RunDescription }) {
  const { id } = run;
  const seesPayloads = useMay('read-payload');
  const { copyAs, cli, curl, sdk } = words.run;
  return (
    <div className={styles.acts}>
      <CopyButton label={`${copyAs} ${cli}`} text={`npx escapement runs show ${id}`} />
      <CopyButton
        label={`${copyAs} ${curl}`}
        text={`curl -H "Authorization: Bearer $ESCAPEMENT_TOKEN" ${window.location.origin}/v1/runs/${id}`}
      />
      {seesPayloads ? <CopyButton label={`${copyAs} ${sdk}`} text={sdkCode(run)} /> : null}
    </div>
  );
}
