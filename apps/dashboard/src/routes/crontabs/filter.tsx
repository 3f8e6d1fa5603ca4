import { toCrontabs } from '../../links.ts';
import { Chip, Chips } from '../../parts/chips.tsx';
import { FindField } from '../../parts/find-field.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import { type CrontabsSearch, SPANS } from './search.ts';

const { crontabs: text } = words;

interface FilterProps {
  search: CrontabsSearch;
  onSearch: (change: Partial<CrontabsSearch>) => void;
}

/** Finds lines while one types; over how long they are compared. */
export function Filter({ search, onSearch }: FilterProps) {
  return (
    <search className={styles.filter}>
      <FindField
        className={styles.name ?? ''}
        label={text.find}
        value={search.name ?? ''}
        onValue={(name) => onSearch({ name: name === '' ? undefined : name })}
      />
      <Chips label={text.since.label}>
        {SPANS.map((span) => (
          <Chip
            key={span}
            link={{ ...toCrontabs({ ...search, since: span === '7d' ? undefined : span }), replace: true }}
            isChosen={span === (search.since ?? '7d')}
          >
            {text.since[span]}
          </Chip>
        ))}
      </Chips>
    </search>
  );
}
