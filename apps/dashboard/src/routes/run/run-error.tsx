import type { components } from '../../api/generated/openapi.ts';
import { JsonTree } from '../../parts/json-tree.tsx';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';

type RunError = components['schemas']['RunError'];

/** Of a frame that is none of ours to mend: Node's, or a package's. */
const FOREIGN = /node:|node_modules|<anonymous>/;
const FRAME = /^\s*at /;

/** An error with its stack, in which the first own frame stands out, and what it was caused by. */
export function RunErrorView({ error, isOpen }: { error: RunError; isOpen: boolean }) {
  const { name, message, stack, fields, cause } = error;
  const { stack: stackWords, causedByError } = words.run;
  return (
    <>
      <p className={styles.message}>
        {name}: {message}
      </p>
      {stack === undefined ? null : (
        <details open={isOpen}>
          <summary className="quiet">{stackWords}</summary>
          <Stack stack={stack} />
        </details>
      )}
      {fields === undefined ? null : <JsonTree value={fields} />}
      {cause === undefined ? null : (
        <>
          <h3>{causedByError}</h3>
          <RunErrorView error={cause} isOpen={false} />
        </>
      )}
    </>
  );
}

function Stack({ stack }: { stack: string }) {
  const lines = stack.split('\n');
  const own = lines.findIndex((line) => FRAME.test(line) && !FOREIGN.test(line));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <pre className={styles.stack} tabIndex={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a stack never change places.
        <div key={index} className={index === own ? styles.own : undefined}>
          {line}
        </div>
      ))}
    </pre>
  );
}
