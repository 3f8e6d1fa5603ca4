import { Button } from '@mantine/core';
import { words } from '../../words/index.ts';
import { type HeldTask, orderOf } from './order.ts';
import styles from './screen.module.css';
import type { Said } from './use-moves.ts';

const { recovery: text } = words;

interface OrderLineProps {
  tasks: readonly HeldTask[];
  order: readonly string[];
  /** What came of the last move: what was done is for who does not see it. */
  said: Said;
  onReset: () => void;
}

/** In which order what is held goes on, and how that is changed. */
export function OrderLine({ tasks, order, said, onReset }: OrderLineProps) {
  const given = orderOf(tasks, order);
  return (
    <div className={`${styles.foot} ${styles.under}`}>
      <span className={styles.order}>{given ? text.inOrder(given) : text.howToOrder}</span>
      {given ? (
        <Button size="compact-sm" variant="default" onClick={onReset}>
          {text.resetOrder}
        </Button>
      ) : null}
      <span className={said.isRefused ? undefined : 'unseen'} role="status">
        {said.words}
      </span>
    </div>
  );
}
