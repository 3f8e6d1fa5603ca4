import type { CSSProperties, ReactNode } from 'react';
import styles from './data-table.module.css';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  /** Its values are at the right, below one another. Default false. */
  isNumber?: boolean;
  /** Buttons: on a narrow screen they have no head before them. Default false. */
  isForActions?: boolean;
}

/** How a row looks besides. */
export interface RowLook {
  className?: string | undefined;
  style?: CSSProperties;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  lookOf?: (row: Row) => RowLook | undefined;
}

/** A table of a few rows; the first column names them. On a narrow screen each row is a block, its values below one another. */
export function DataTable<Row>({ label, columns, rows, keyOf, lookOf }: DataTableProps<Row>) {
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ head, isNumber, isForActions }) => (
            <th key={head} scope="col" className={isNumber ? styles.number : undefined}>
              {isForActions ? <span className="unseen">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} {...lookOf?.(row)}>
            {columns.map((column, index) => (
              <Cell key={column.head} column={column} row={row} isName={index === 0} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell<Row>({ column, row, isName }: { column: Column<Row>; row: Row; isName: boolean }) {
  const { head, cell, isNumber, isForActions } = column;
  if (isName) return <th scope="row">{cell(row)}</th>;
  return (
    <td
      className={isNumber ? styles.number : isForActions ? styles.acts : undefined}
      data-head={isForActions ? undefined : head}
    >
      {/* One part beside its head, on a narrow screen. */}
      <div>{cell(row)}</div>
    </td>
  );
}
