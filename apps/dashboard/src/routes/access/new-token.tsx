import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useCreateToken } from '../../acts/create-token.ts';
import { useMayAll } from '../../me/me.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { words } from '../../words/index.ts';
import { type Grant, grantedOf, LEAST } from './grant.ts';
import { GrantFields } from './grant-fields.tsx';
import { LIFE_MS, LIVES, type Life } from './lives.ts';
import { MadeToken } from './made-token.tsx';
import styles from './screen.module.css';

const { access: text, common } = words;

export function NewToken() {
  const [isOpen, setIsOpen] = useState(false);
  const mayGrant = useMayAll('access');
  return (
    <>
      <ActButton
        words={text.newToken}
        whyNot={mayGrant ? null : common.notAllowedForAll('access')}
        onClick={() => setIsOpen(true)}
      />
      {isOpen ? <NewTokenDialog onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [life, setLife] = useState<Life>('quarter');
  const [grant, setGrant] = useState<Grant>(LEAST);
  const { mutate, isPending, error, data } = useCreateToken();
  const onDo = (said: Said) =>
    mutate({ body: { name: name.trim(), lifeMs: LIFE_MS[life], ...grantedOf(grant), ...said } });
  if (data) return <MadeToken name={name.trim()} made={data} onClose={onClose} />;
  return (
    <ReasonDialog
      title={text.newTokenTitle}
      doIt={text.doNewToken}
      isPending={isPending}
      error={error}
      // What is being made is shown once: then somebody has to be there.
      onClose={() => (isPending ? undefined : onClose())}
      onDo={onDo}
    >
      <div className={styles.fields}>
        <span>{text.newTokenWords}</span>
        <TextInput
          label={text.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          required
          data-autofocus
        />
        <Select
          label={text.ends}
          data={LIVES.map((value) => ({ value, label: text.lives[value] }))}
          value={life}
          onChange={(value) => setLife(LIVES.find((each) => each === value) ?? life)}
          allowDeselect={false}
          withScrollArea={false}
        />
        <GrantFields grant={grant} onGrant={setGrant} />
      </div>
    </ReasonDialog>
  );
}
