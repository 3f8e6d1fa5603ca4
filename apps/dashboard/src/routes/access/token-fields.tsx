import { Select } from '@mantine/core';
import { words } from '../../words/index.ts';
import type { Grant } from './grant.ts';
import GrantFields from './grant-fields.tsx';
import { LIVES, type Life } from './lives.ts';

const { access: text } = words;

interface TokenFieldsProps {
  life: Life;
  onLife: (life: Life) => void;
  grant: Grant;
  onGrant: (grant: Grant) => void;
}

/** Asks until when a token is good, and what it may do. */
export default function TokenFields({ life, onLife, grant, onGrant }: TokenFieldsProps) {
  return (
    <>
      <Select
        label={text.ends}
        data={LIVES.map((value) => ({ value, label: text.lives[value] }))}
        value={life}
        onChange={(value) => onLife(LIVES.find((each) => each === value) ?? life)}
        allowDeselect={false}
        withScrollArea={false}
      />
      <GrantFields grant={grant} onGrant={onGrant} />
    </>
  );
}
