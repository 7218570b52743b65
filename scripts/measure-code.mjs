/**
 * Measures the product's files (tests and fixtures aside): lines, functions, exports, and what each pulls in through its imports. The ratchet and the figures of the house read
 * the same measures.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import ts from 'typescript';
import { listSources } from './sources.mjs';

/**
 * A product file. `imports`: product files that it names by a relative path, in whatever way (type-only and dynamic too); `exports`: names that it gives others; `types`: names of
 * its types, those included that it keeps to itself.
 *
 * @typedef {{ path: string, lines: number, functions: { label: string, lines: number }[], imports: string[], exports: string[], types: string[] }} MeasuredFile
 */

/** Lines are physical lines; of functions, those with a block body count. */
export function measureCode(root) {
  const paths = listSources(['src'], ['.ts', '.tsx'], root).filter((path) => !/(\.test|fixtures)\.tsx?$|\.d\.ts$/.test(path));
  const known = new Set(paths);
  return paths.map((path) => measureFile(root, path, known));
}

/** @returns {MeasuredFile} */
function measureFile(root, path, known) {
  const text = readFileSync(join(root, path), 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const functions = [];
  const imports = new Set();
  const exports = new Set();
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body && ts.isBlock(node.body)) functions.push(measureFunction(path, file, node));
    const named = readSpecifier(node);
    if (named?.startsWith('.')) imports.add(join(dirname(path), named));
    for (const name of listExports(node)) exports.add(name);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const types = file.statements.filter(isTypeDeclaration).map(({ name }) => name.text);
  return {
    path,
    lines: countLines(text),
    functions,
    imports: [...imports].filter((target) => known.has(target)),
    exports: [...exports],
    types,
  };
}

const isTypeDeclaration = (node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);

const countLines = (text) => text.replace(/\n$/, '').split('\n').length;

function measureFunction(path, file, node) {
  const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
  const last = file.getLineAndCharacterOfPosition(node.end).line;
  const name = node.name?.getText(file) ?? node.parent.name?.getText(file) ?? '(anonymous)';
  return { label: `${path}:${first + 1} ${name}`, lines: last - first + 1 };
}

/** Names that stand in the list of more than one file: `of` is `exports` or `types`. */
export function listSharedNames(files, of) {
  const names = files.flatMap((file) => file[of]);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].sort();
}

/** The module that a node names: `import … from`, `export … from`, `import(…)`, and `import(…)` as a type. */
function readSpecifier(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier?.text;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]?.text;
  return ts.isImportTypeNode(node) ? node.argument.literal?.text : undefined;
}

/** Names that a statement exports; those that a front door hands on are not counted again. */
function listExports(node) {
  if (ts.isExportDeclaration(node))
    return node.moduleSpecifier === undefined ? (node.exportClause?.elements ?? []).map(({ name }) => name.text) : [];
  if (!ts.canHaveModifiers(node) || !ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  return ts.isVariableStatement(node) ? node.declarationList.declarations.map(({ name }) => name.getText()) : [node.name.text];
}

/** Of each file: how many others it pulls in, all the way down. */
export function measureReach(files) {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  return files.map(({ path }) => {
    const reached = new Set([path]);
    for (const next of reached) for (const target of importsOf.get(next)) reached.add(target);
    return { label: path, value: reached.size - 1 };
  });
}

/** The longest chain of imports, from the file where it begins; files that import each other in a ring are one link. */
export function findLongestChain(files) {
  const rings = findRings(files);
  const longest = new Map();
  // Rings are listed after everything they import, so each is asked for once its own are known.
  for (const ring of rings.list) {
    let rest = [];
    for (const target of ring.targets) {
      const chain = longest.get(rings.of.get(target)) ?? [];
      if (chain.length > rest.length) rest = chain;
    }
    longest.set(ring, [ring.paths.join(' + '), ...rest]);
  }
  return [...longest.values()].reduce((best, chain) => (chain.length > best.length ? chain : best), []);
}

/** Groups of files that reach each other (nearly always one file), each after all that it imports: Tarjan's algorithm. */
function findRings(files) {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const order = new Map();
  const lowest = new Map();
  const open = [];
  const of = new Map();
  const list = [];
  const visit = (path) => {
    order.set(path, order.size);
    lowest.set(path, order.get(path));
    open.push(path);
    for (const target of importsOf.get(path)) {
      if (!order.has(target)) visit(target);
      if (!of.has(target)) lowest.set(path, Math.min(lowest.get(path), lowest.get(target)));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const paths = open.splice(open.indexOf(path));
    const ring = { paths, targets: paths.flatMap((member) => importsOf.get(member)).filter((target) => !paths.includes(target)) };
    for (const member of paths) of.set(member, ring);
    list.push(ring);
  };
  for (const { path } of files) if (!order.has(path)) visit(path);
  return { list, of };
}

/** The smallest value that at least this share of the values does not exceed. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
