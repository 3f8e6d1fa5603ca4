import { Link } from '@tanstack/react-router';
import { Empty } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ShapeMark } from '../../parts/shape.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { toneClass } from '../../parts/tones.ts';
import { Instant } from '../../time/instant.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import type { Thing } from './things.ts';

const { now: text } = words;
const MOST = 12;

/** What needs somebody, each with a link to its evidence. */
export function Attention({ things }: { things: readonly Thing[] | null }) {
  return (
    <Panel title={text.attention} note={things === null || things.length === 0 ? undefined : things.length} flush>
      {things === null ? <SkeletonRows rows={4} /> : <Things things={things} />}
    </Panel>
  );
}

function Things({ things }: { things: readonly Thing[] }) {
  if (things.length === 0) return <Empty title={text.attentionEmpty} />;
  return (
    <>
      <ul className={styles.list}>
        {things.slice(0, MOST).map((thing) => (
          <One key={thing.id} thing={thing} />
        ))}
      </ul>
      {things.length > MOST ? <p className={styles.foot}>{text.andMore(things.length - MOST)}</p> : null}
    </>
  );
}

function One({ thing: { tone, shape, words: said, note, link, since } }: { thing: Thing }) {
  return (
    <li className={`${styles.thing} ${toneClass(tone)}`}>
      <ShapeMark shape={shape} size={16} />
      <span className={styles.words}>{link ? <Link {...link}>{said}</Link> : said}</span>
      <span className={styles.since}>{since === null ? null : <Instant at={since} as="relative" />}</span>
      {note === null ? null : <span className={styles.small}>{note}</span>}
    </li>
  );
}
