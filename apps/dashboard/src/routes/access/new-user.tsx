import { TextInput } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useCreateUser } from '../../actions/users.ts';
import { lazyPart } from '../../api/load-part.ts';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { type Grant, grantedOf, LEAST } from './grant.ts';
import { PasswordField } from './password-field.tsx';
import styles from './screen.module.css';

const { access: text, common } = words;
/** Fields with choices are large: they come when they are asked for. */
const GrantFields = lazyPart(() => import('./grant-fields.tsx'));

export function NewUser() {
  const [isOpen, setIsOpen] = useState(false);
  const mayGrant = useMayAll('access');
  return (
    <>
      <ActionButton
        words={text.newUser}
        whyNot={mayGrant ? null : common.notAllowedForAll('access')}
        onClick={() => setIsOpen(true)}
      />
      {isOpen ? <NewUserDialog onClose={() => setIsOpen(false)} /> : null}
    </>
  );
}

function NewUserDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [grant, setGrant] = useState<Grant>(LEAST);
  const { mutate, isPending, error } = useCreateUser();
  return (
    <ReasonDialog
      title={text.newUserTitle}
      doIt={text.doNewUser}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) =>
        mutate({ body: { name: name.trim(), password, ...grantedOf(grant), ...said } }, { onSuccess: onClose })
      }
    >
      <div className={styles.fields}>
        <span>{text.newUserWords}</span>
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
        <PasswordField value={password} onValue={setPassword} />
        <Suspense fallback={<SkeletonRows rows={3} />}>
          <GrantFields grant={grant} onGrant={setGrant} />
        </Suspense>
      </div>
    </ReasonDialog>
  );
}
