import { useNavigate } from '@tanstack/react-router';
import { toAudit } from '../../links.ts';
import { Chip, Chips } from '../../parts/chips.tsx';
import { FindField } from '../../parts/find-field.tsx';
import { TypedField } from '../../parts/typed-field.tsx';
import { words } from '../../words/index.ts';
import styles from './filter.module.css';
import type { AuditSearch } from './search.ts';

const { audit: text } = words;

/** Whose acts, on what, done or refused. */
export function Filter({ search }: { search: AuditSearch }) {
  const navigate = useNavigate();
  const apply = (change: AuditSearch) => void navigate({ ...toAudit({ ...search, ...change }), replace: true });
  const given = (typed: string) => (typed === '' ? undefined : typed);
  const { principal = '', subject = '', refused } = search;
  return (
    <search className={styles.filter}>
      <FindField label={text.principal} value={principal} onValue={(typed) => apply({ principal: given(typed) })} />
      <TypedField
        label={text.subject}
        placeholder={text.subjectHelp}
        value={subject}
        onValue={(typed) => apply({ subject: given(typed) })}
      />
      <Chips label={text.choices}>
        <Chip link={toAudit({ ...search, refused: undefined })} isChosen={refused === undefined}>
          {text.all}
        </Chip>
        <Chip link={toAudit({ ...search, refused: 'false' })} isChosen={refused === 'false'}>
          {text.done}
        </Chip>
        <Chip link={toAudit({ ...search, refused: 'true' })} isChosen={refused === 'true'}>
          {text.refused}
        </Chip>
      </Chips>
    </search>
  );
}
