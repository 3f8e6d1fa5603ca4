// What a package exports, as its sources declare it. TypeScript 7 has no API for programs; the dashboard has 5.9 for its own generator.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export interface Declaration {
  name: string;
  kind: 'function' | 'class' | 'type' | 'constant';
  /** Without a body and without members. */
  text: string;
  comment: string;
  members: readonly Member[];
}

export interface Member {
  name: string;
  type: string;
  optional: boolean;
  comment: string;
}

/** All that a module exports, in the order of names. */
export function exportedDeclarations(module: URL): Declaration[] {
  const file = fileURLToPath(module);
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['@escapement/source'],
    allowImportingTsExtensions: true,
    noEmit: true,
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source && checker.getSymbolAtLocation(source);
  if (!symbol) throw new Error(`${file} exports nothing`);
  return checker
    .getExportsOfModule(symbol)
    .map((exported) => declarationOf(exported.name, declared(exported, checker)))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function declared(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Declaration {
  const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const [declaration] = meant.declarations ?? [];
  if (!declaration) throw new Error(`${symbol.name} is declared nowhere`);
  return declaration;
}

function declarationOf(name: string, node: ts.Declaration): Declaration {
  const comment = commentOf(ts.isVariableDeclaration(node) ? node.parent.parent : node);
  if (ts.isFunctionDeclaration(node))
    return { name, kind: 'function', text: textTo(node, node.body), comment, members: [] };
  if (ts.isInterfaceDeclaration(node)) {
    const text = textTo(node, node.members[0]).replace(/\{$/, '').trim();
    return { name, kind: 'type', text, comment, members: node.members.flatMap(memberOf) };
  }
  if (ts.isClassDeclaration(node)) {
    const text = textTo(node, node.members[0]).replace(/\{$/, '').trim();
    return { name, kind: 'class', text, comment, members: node.members.flatMap(memberOf) };
  }
  if (ts.isTypeAliasDeclaration(node)) return { name, kind: 'type', text: textTo(node), comment, members: [] };
  return { name, kind: 'constant', text: textTo(node), comment, members: [] };
}

function memberOf(node: ts.TypeElement | ts.ClassElement): Member[] {
  if (ts.isConstructorDeclaration(node))
    return [{ name: 'new', type: textTo(node, node.body).replace(/^constructor/, ''), optional: false, comment: '' }];
  const hidden = ts.canHaveModifiers(node) && node.modifiers?.some(({ kind }) => HIDDEN.has(kind));
  if (hidden || !node.name || ts.isPrivateIdentifier(node.name)) return [];
  const optional = 'questionToken' in node && node.questionToken !== undefined;
  return [{ name: node.name.getText(), type: typeOf(node), optional, comment: commentOf(node) }];
}

const HIDDEN = new Set([ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.OverrideKeyword]);

function typeOf(node: ts.TypeElement | ts.ClassElement): string {
  if (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) return onLine(node.type?.getText() ?? '');
  if (ts.isMethodSignature(node) || ts.isMethodDeclaration(node)) {
    const body = ts.isMethodDeclaration(node) ? node.body : undefined;
    return textTo(node, body).slice(node.name.getText().length).replace(/^\?/, '').replace(/;$/, '');
  }
  return onLine(node.getText());
}

/** The text of a node, up to another one within it. */
function textTo(node: ts.Node, end?: ts.Node): string {
  const from = node.getStart();
  const text = node.getSourceFile().text.slice(from, end ? end.pos : node.getEnd());
  return onLine(text.replace(/^export (default )?(async )?/, ''));
}

function onLine(text: string): string {
  const spaced = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '').replaceAll(/\s+/g, ' ');
  return spaced
    .replaceAll(/([(<]) /g, '$1')
    .replaceAll(/,? ([)>](?!=))/g, '$1')
    .trim();
}

function commentOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).slice(-1);
  return onLine(ts.getTextOfJSDocComment(comment?.comment) ?? '');
}
