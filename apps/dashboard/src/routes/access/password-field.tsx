import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../../parts/copy.tsx';
import { words } from '../../words/index.ts';
import { newPassword } from './new-password.ts';
import styles from './screen.module.css';

const { access: text } = words;
const SHORTEST = 12;
const LONGEST = 1024;

/** Asks for a password, or makes one up, which is shown: somebody has to be told it. */
export function PasswordField({ value, onValue }: { value: string; onValue: (password: string) => void }) {
  const [isSeen, setIsSeen] = useState(false);
  const onMake = () => {
    onValue(newPassword());
    setIsSeen(true);
  };
  return (
    <>
      <PasswordInput
        label={text.password}
        description={text.passwordHelp}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
        visible={isSeen}
        onVisibilityChange={setIsSeen}
        visibilityToggleButtonProps={{ 'aria-label': text.showPassword }}
        autoComplete="new-password"
        minLength={SHORTEST}
        maxLength={LONGEST}
        required
      />
      <div className={styles.password}>
        <Button size="compact-sm" variant="default" onClick={onMake}>
          {text.makePassword}
        </Button>
        {value === '' ? null : <CopyButton text={value} label={text.copyPassword} />}
      </div>
    </>
  );
}
