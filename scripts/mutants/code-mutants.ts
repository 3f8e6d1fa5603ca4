import { type ESTree, parseSync, Visitor } from 'vite';
import type { Mutant } from './mutant.ts';
import { isLua, luaMutants, sqlMutants } from './text-mutants.ts';

type Found = Omit<Mutant, 'file'>;
type Span = { start: number; end: number };

const BORDERS: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' };
const ARITHMETIC: Record<string, string> = { '+': '-', '-': '+', '*': '/', '/': '*' };
const STATEMENT_TEXT = /\b(SELECT|UPDATE|INSERT INTO|DELETE FROM)\b/;

/** All faults that can be put into a module, its SQL and its Lua included. */
export function codeMutants(file: string, source: string): Mutant[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const found: Found[] = [];
  const text = ({ start, end }: Span) => source.slice(start, end);
  const replace = (operator: string, { start, end }: Span, by: string) =>
    found.push({ operator, start, end, text: by });
  const negate = (test: ESTree.Expression) => replace('negation', test, `!(${text(test)})`);

  /** The operator of two operands stands between them. */
  function swap(name: string, node: { left: Span; right: Span; operator: string }, by: string): void {
    const start = node.left.end + source.slice(node.left.end, node.right.start).indexOf(node.operator);
    replace(name, { start, end: start + node.operator.length }, by);
  }

  /** Only what is compared or added: a factor tunes, and no test should hold it fast. */
  function oneMore(node: ESTree.Node): void {
    if (node.type === 'Literal' && typeof node.value === 'number') replace('constant', node, String(node.value + 1));
  }

  new Visitor({
    // What the driver of Postgres is handed: it takes undefined for null, in lists too.
    ArrayExpression({ elements }) {
      for (const element of elements) if (element) for (const one of nullsOf(element)) replace('no fault', one, '');
    },
    BinaryExpression(node) {
      const border = BORDERS[node.operator];
      if (border) swap('border', node, border);
      const arithmetic = ARITHMETIC[node.operator];
      if (arithmetic && !isText(node.left) && !isText(node.right)) swap('arithmetic', node, arithmetic);
      if (border || '+-'.includes(node.operator)) for (const side of [node.left, node.right]) oneMore(side);
    },
    LogicalExpression(node) {
      // A default of an element is mostly there for the type checker alone.
      const isElement = node.left.type === 'MemberExpression' && node.left.computed;
      if (node.operator === '??' && !isElement) replace('default', node, `(${text(node.left)})`);
      if (node.operator !== '??') swap('and/or', node, node.operator === '&&' ? '||' : '&&');
    },
    UnaryExpression(node) {
      if (node.operator === '!') replace('negation', node, text(node.argument));
    },
    IfStatement(node) {
      negate(node.test);
      if (!node.alternate && leaves(node.consequent)) replace('guard removed', node, ';');
    },
    ConditionalExpression: (node) => negate(node.test),
    WhileStatement: (node) => negate(node.test),
    ExpressionStatement(node) {
      if (!('directive' in node && node.directive)) replace('statement removed', node, ';');
    },
    Literal(node) {
      if (typeof node.value === 'boolean') replace('boolean', node, String(!node.value));
    },
    TemplateLiteral(node) {
      found.push(...textMutants(text(node), node.start));
    },
    // Types are gone when the program runs.
    TSLiteralType: ({ start, end }) => void found.push({ operator: 'no fault', start, end, text: '' }),
  }).visit(program);
  const none = found.filter(({ operator }) => operator === 'no fault');
  return found
    .filter((one) => !none.some(({ start, end }) => start <= one.start && one.end <= end))
    .map((one) => ({ file, ...one }));
}

/** A template of neither language has none. */
function textMutants(text: string, offset: number): Found[] {
  const found = isLua(text) ? luaMutants(text) : STATEMENT_TEXT.test(text) ? sqlMutants(text) : [];
  return found.map((one) => ({ ...one, start: one.start + offset, end: one.end + offset, isForeign: true }));
}

/** `x ?? null` of an element, or of each element of a list that it makes. */
function nullsOf(element: ESTree.Node): Span[] {
  if (element.type === 'LogicalExpression' && element.operator === '??') return isNull(element.right) ? [element] : [];
  if (element.type !== 'CallExpression') return [];
  return element.arguments.flatMap((each) => (each.type === 'ArrowFunctionExpression' ? nullsOf(each.body) : []));
}

const isNull = (node: ESTree.Node) => node.type === 'Literal' && node.value === null && node.raw === 'null';

function isText(node: ESTree.Node): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

function leaves(node: ESTree.Statement): boolean {
  const last = node.type === 'BlockStatement' ? node.body.at(-1) : node;
  return ['ReturnStatement', 'ContinueStatement', 'BreakStatement', 'ThrowStatement'].includes(last?.type ?? '');
}
