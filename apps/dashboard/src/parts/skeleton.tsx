import styles from './skeleton.module.css';

const WIDTHS = ['62%', '48%', '70%', '55%', '40%'];

/** Rows that will have something in them. */
export function SkeletonRows({ rows = 5 }: { rows?: number }) {
  return (
    <div aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
        <div className={styles.row} key={row}>
          <Bar width={WIDTHS[row % WIDTHS.length] ?? '50%'} />
        </div>
      ))}
    </div>
  );
}

/** A bar where words will be. */
export function Bar({ width, height = 10 }: { width: string | number; height?: number }) {
  return <div className={styles.bar} style={{ width, height }} />;
}
