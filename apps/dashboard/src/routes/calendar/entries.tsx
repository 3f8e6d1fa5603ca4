import { Button } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/index.ts';
import type { Calendar } from './answer.ts';
import styles from './screen.module.css';

const { calendars: text } = words;
const SHOWN = 12;

/** What a calendar excludes, an entry a line. */
export function Entries({ entries }: { entries: Calendar['definition']['entries'] }) {
  const [isWhole, setIsWhole] = useState(false);
  // Two may say the same.
  const numbered = entries.map((entry, index) => ({ entry, id: `${index}` }));
  const shown = isWhole ? numbered : numbered.slice(0, SHOWN);
  return (
    <Panel title={text.entries} note={entries.length.toLocaleString('en')}>
      <ul className={styles.entries} aria-label={text.entries}>
        {shown.map(({ entry, id }) => (
          <li key={id}>
            {entry.name === undefined ? null : <strong>{entry.name}</strong>}
            <span>{text.entryWords(entry)}</span>
          </li>
        ))}
        {shown.length < entries.length ? (
          <li>
            <span className="quiet">{text.more(entries.length - shown.length)}</span>
            <Button size="compact-xs" variant="default" onClick={() => setIsWhole(true)}>
              {text.showAll}
            </Button>
          </li>
        ) : null}
      </ul>
    </Panel>
  );
}
