import type { components } from '../../api/generated/openapi.ts';
import { Answer } from '../../parts/answer.tsx';
import { Bar } from '../../parts/skeleton.tsx';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import type { Previewed } from './use-preview.ts';

const { backfills: text } = words;

/** How many occurrences would run, and the first of them. */
export function Preview({ previewed: { query } }: { previewed: Previewed }) {
  if (!query.isEnabled) return <p className="quiet">{text.fillFirst}</p>;
  return (
    <Answer of={query} skeleton={<Bar width="80%" />}>
      {(preview) => <Counts preview={preview} />}
    </Answer>
  );
}

function Counts({ preview: { run, rerun, keep, first } }: { preview: components['schemas']['BackfillPreview'] }) {
  if (run + rerun === 0) return <p>{keep === 0 ? text.noOccurrence : text.nothingToRun(keep)}</p>;
  return (
    <div className={styles.preview}>
      <p>
        <strong>{text.willRun(run + rerun)}</strong>
      </p>
      <p>{[text.inNoRow(run), text.again(rerun), text.kept(keep)].filter((each) => each !== '').join(', ')}.</p>
      <p className="quiet">{text.firstOnes}</p>
      <ul className={styles.first}>
        {first.map((at) => (
          <li key={at}>
            <Instant at={at} />
          </li>
        ))}
        {run + rerun > first.length ? <li className="quiet">{text.andMore(run + rerun - first.length)}</li> : null}
      </ul>
    </div>
  );
}
