import { get } from '../../api/get.ts';
import { Asked } from '../../parts/answer.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { words } from '../../words/index.ts';
import styles from './diff.module.css';
import { differences, shown } from './differences.ts';

const { task: text } = words;

/** What one version changed of another: each part before and after. */
export function Diff({ id, from, to }: { id: string; from: number; to: number }) {
  return (
    <Asked
      query={get('/v1/tasks/{id}/diff', { path: { id }, query: { from, to } })}
      skeleton={<SkeletonRows rows={2} />}
    >
      {({ parts }) => {
        const found = parts.flatMap((part) => differences(part.part, part.from, part.to));
        if (found.length === 0) return <p className="quiet">{text.diffNone}</p>;
        return (
          <div className={styles.scroll}>
            <table className={styles.diff} aria-label={text.diffTable(from, to)}>
              <thead>
                <tr>
                  <th scope="col">{text.diffPart}</th>
                  <th scope="col">{text.diffWas}</th>
                  <th scope="col">{text.diffIs}</th>
                </tr>
              </thead>
              <tbody>
                {found.map((one) => (
                  <tr key={one.path}>
                    <th scope="row">{one.path}</th>
                    <td>
                      <Side value={one.from} className={styles.was} />
                    </td>
                    <td>
                      <Side value={one.to} className={styles.is} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        );
      }}
    </Asked>
  );
}

function Side({ value, className }: { value: unknown; className: string | undefined }) {
  if (value === undefined) return <span className="quiet">{text.absent}</span>;
  return <pre className={className}>{shown(value)}</pre>;
}
