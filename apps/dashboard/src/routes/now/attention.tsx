import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
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

interface AttentionProps {
  things: readonly Thing[] | null;
  /** There is more than these. */
  hasMore: boolean;
}

/** What needs somebody, each with a link to its evidence. */
export function Attention({ things, hasMore }: AttentionProps) {
  const count = things?.length ?? 0;
  const note = hasMore ? text.atLeast(count) : count || undefined;
  return (
    <Panel title={text.attention} note={note} flush>
      {things === null ? <SkeletonRows rows={4} /> : <Things things={things} />}
    </Panel>
  );
}

function Things({ things }: { things: readonly Thing[] }) {
  const [showsAll, setShowsAll] = useState(false);
  if (things.length === 0) return <Empty title={text.attentionEmpty} />;
  return (
    <>
      <ul className={styles.list}>
        {(showsAll ? things : things.slice(0, MOST)).map((thing) => (
          <One key={thing.id} thing={thing} />
        ))}
      </ul>
      {things.length > MOST ? (
        <div className={styles.foot}>
          <Button size="compact-sm" variant="subtle" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? text.showLess : text.showMore(things.length - MOST)}
          </Button>
        </div>
      ) : null}
    </>
  );
}

function One({ thing: { tone, shape, words: said, note, link, since } }: { thing: Thing }) {
  return (
    <li data-row className={`${styles.thing} ${toneClass(tone)}`}>
      <ShapeMark shape={shape} size={16} />
      <span className={styles.words}>
        <Link {...link}>{said}</Link>
      </span>
      <span className={styles.since}>{since === null ? null : <Instant at={since} as="relative" />}</span>
      {note === null ? null : <span className={styles.small}>{note}</span>}
    </li>
  );
}
