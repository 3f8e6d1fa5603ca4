import { Suspense, useState } from 'react';
import { useChangePassword, useDeleteUser, useDisableUser, useEnableUser, useGrantUser } from '../../actions/users.ts';
import { lazyPart } from '../../api/load-part.ts';
import { useMe } from '../../me/me.ts';
import { Note } from '../../parts/note.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import { canGrant, type Grant, grantedOf, isLastAdmin, isSelf, type User } from './grant.ts';
import { PasswordField } from './password-field.tsx';
import styles from './screen.module.css';

const { access: text } = words;
const GrantFields = lazyPart(() => import('./grant-fields.tsx'));

interface DialogProps {
  user: User;
  /** All of them. */
  users: readonly User[];
  onClose: () => void;
}

export function GrantDialog({ user, users, onClose }: DialogProps) {
  const { name, role, rights, scope, disabled } = user;
  const [grant, setGrant] = useState<Grant>({ role, rights, scope: scope ?? '' });
  const { mutate, isPending, error } = useGrantUser();
  const granted = grantedOf(grant);
  return (
    <ReasonDialog
      title={text.grantTitle(name)}
      doIt={text.doGrant}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ query: { name }, body: { ...granted, ...said } }, { onSuccess: onClose })}
    >
      <div className={styles.fields}>
        <span>{text.grantWords}</span>
        <Suspense fallback={<SkeletonRows rows={3} />}>
          <GrantFields grant={grant} onGrant={setGrant} />
        </Suspense>
        {canGrant({ role: granted.role, scope: granted.scope ?? null, disabled }) ? null : (
          <IfLast user={user} users={users} />
        )}
      </div>
    </ReasonDialog>
  );
}

export function PasswordDialog({ user, onClose }: DialogProps) {
  const { name } = user;
  const [password, setPassword] = useState('');
  const { mutate, isPending, error } = useChangePassword();
  return (
    <ReasonDialog
      title={text.setPasswordTitle(name)}
      doIt={text.doSetPassword}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ query: { name }, body: { password, ...said } }, { onSuccess: onClose })}
    >
      <div className={styles.fields}>
        <span>{text.setPasswordWords}</span>
        <IfYou user={user} />
        <PasswordField value={password} onValue={setPassword} />
      </div>
    </ReasonDialog>
  );
}

export function DisableDialog({ user, users, onClose }: DialogProps) {
  const { name } = user;
  const { mutate, isPending, error } = useDisableUser();
  return (
    <ReasonDialog
      title={text.disableTitle(name)}
      doIt={text.doDisable}
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ query: { name }, body: said }, { onSuccess: onClose })}
    >
      <div className={styles.fields}>
        <span>{text.disableWords}</span>
        <IfYou user={user} />
        <IfLast user={user} users={users} />
      </div>
    </ReasonDialog>
  );
}

export function EnableDialog({ user: { name, issuer }, onClose }: DialogProps) {
  const { mutate, isPending, error } = useEnableUser();
  return (
    <ReasonDialog
      title={text.enableTitle(name)}
      doIt={text.doEnable}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ query: { name }, body: said }, { onSuccess: onClose })}
    >
      {issuer === null ? text.enableWords : text.enableWordsProvider}
    </ReasonDialog>
  );
}

export function DeleteDialog({ user, users, onClose }: DialogProps) {
  const { name } = user;
  const { mutate, isPending, error } = useDeleteUser();
  return (
    <ReasonDialog
      title={text.deleteTitle(name)}
      doIt={text.doDelete}
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onDo={(said) => mutate({ query: { name, ...said } }, { onSuccess: onClose })}
    >
      <div className={styles.fields}>
        <span>{text.deleteWords}</span>
        <IfYou user={user} />
        <IfLast user={user} users={users} />
      </div>
    </ReasonDialog>
  );
}

function IfYou({ user }: { user: User }) {
  return isSelf(useMe(), user) ? <Note tone="attention" shape="hand" title={text.itIsYou} /> : null;
}

function IfLast({ user, users }: { user: User; users: readonly User[] }) {
  return isLastAdmin(user, users) ? <Note tone="attention" shape="hand" title={text.lastAdmin} /> : null;
}
