import { Button, Tooltip } from '@mantine/core';
import styles from './action-button.module.css';

interface ActionButtonProps {
  words: string;
  /** Why it cannot be done; null: it can. */
  whyNot: string | null;
  isDangerous?: boolean;
  onClick: () => void;
}

/** The button of an act. Where it cannot be done it is still there, and says why. */
export function ActionButton({ words, whyNot, isDangerous = false, onClick }: ActionButtonProps) {
  // It is the same button before and after it can be done: the focus stays in it.
  return (
    <Tooltip
      label={whyNot ?? ''}
      disabled={whyNot === null}
      events={{ hover: true, focus: true, touch: true }}
      multiline
      maw={280}
    >
      <Button
        variant="default"
        size="compact-md"
        className={isDangerous && whyNot === null ? (styles.dangerous ?? '') : ''}
        data-act
        aria-disabled={whyNot !== null}
        {...(whyNot === null ? {} : { 'data-disabled': true })}
        onClick={whyNot === null ? onClick : undefined}
      >
        {words}
      </Button>
    </Tooltip>
  );
}
