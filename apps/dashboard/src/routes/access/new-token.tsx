import { TextInput } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useCreateToken } from '../../actions/tokens.ts';
import { lazyPart } from '../../api/load-part.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Said } from '../../parts/reason-field.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { type Grant, grantedOf, LEAST } from './grant.ts';
import { LIFE_MS, type Life } from './lives.ts';
import { MadeToken } from './made-token.tsx';
import styles from './screen.module.css';

const { access: text, common } = words;
/** Fields with choices are large: they come when they are asked for. */
const TokenFields = lazyPart(() => import('./token-fields.tsx'));

export function NewToken() {
  const [isOpen, setIsOpen] = useState(false);
  const mayGrant = useMayAll('access');
  return (
    <>
      <ActionButton
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
        <Suspense fallback={<SkeletonRows rows={4} />}>
          <TokenFields life={life} onLife={setLife} grant={grant} onGrant={setGrant} />
        </Suspense>
      </div>
    </ReasonDialog>
  );
}
