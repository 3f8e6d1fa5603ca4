import { Checkbox, Select, TextInput } from '@mantine/core';
import { words } from '../../words/index.ts';
import type { ExtraRight, Grant, Role } from './grant.ts';
import styles from './screen.module.css';

const { access: text } = words;
const ROLES = Object.keys(text.roles) as Role[];
const RIGHTS = Object.entries(text.rightsOf) as [ExtraRight, string][];

/** Asks what somebody may do: the role, rights beside it, and for which tasks. */
export default function GrantFields({ grant, onGrant }: { grant: Grant; onGrant: (grant: Grant) => void }) {
  const { role, rights, scope } = grant;
  return (
    <>
      <Select
        label={text.role}
        description={text.roles[role]}
        data={ROLES}
        value={role}
        onChange={(value) => onGrant({ ...grant, role: ROLES.find((each) => each === value) ?? role })}
        allowDeselect={false}
        withScrollArea={false}
      />
      {role === 'admin' ? null : (
        <Checkbox.Group
          label={text.rights}
          value={[...rights]}
          onChange={(value) => onGrant({ ...grant, rights: value as ExtraRight[] })}
        >
          <div className={styles.rights}>
            {RIGHTS.map(([right, label]) => (
              <Checkbox key={right} value={right} label={right} description={label} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      <TextInput
        label={text.scope}
        description={text.scopeHelp}
        value={scope}
        onChange={(event) => onGrant({ ...grant, scope: event.currentTarget.value })}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
      />
    </>
  );
}
