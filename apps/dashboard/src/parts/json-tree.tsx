import styles from './json-tree.module.css';

/** Open so far; deeper, one opens it. */
const OPEN_DEPTH = 2;
/** Entries of one list or object. More are counted. */
const MOST = 200;

/** A JSON value as a tree. It is always text, whatever is in it. */
export function JsonTree({ value }: { value: unknown }) {
  return (
    <div className={styles.tree}>
      <Value name={null} value={value} depth={0} />
    </div>
  );
}

interface ValueProps {
  name: string | null;
  value: unknown;
  depth: number;
}

function Value({ name, value, depth }: ValueProps) {
  const label = name === null ? null : <span className={styles.name}>{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div>
        {label}
        <span className={styles[kindOf(value)]}>{JSON.stringify(value)}</span>
      </div>
    );
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0)
    return (
      <div>
        {label}
        {open}
        {close}
      </div>
    );
  return (
    <details open={depth < OPEN_DEPTH}>
      <summary>
        {label}
        {open}
        <span className="quiet"> {entries.length} </span>
        {close}
      </summary>
      <ul>
        {entries.slice(0, MOST).map(([key, each]) => (
          <li key={key}>
            <Value name={key} value={each} depth={depth + 1} />
          </li>
        ))}
        {entries.length > MOST ? <li className="quiet">{`… ${entries.length - MOST}`}</li> : null}
      </ul>
    </details>
  );
}

function kindOf(value: unknown): 'text' | 'number' | 'other' {
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'other';
}
