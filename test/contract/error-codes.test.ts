import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');

/** Codes that are put together from parts: what each of these templates can become. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  '`config-${fault}`': ['config-too-large', 'config-encoding'],
  "`${code}-${isMissing ? 'missing' : 'unreadable'}`": [
    'prompt-missing',
    'prompt-unreadable',
    'queue-list-missing',
    'queue-list-unreadable',
  ],
};

/** Where a code is used: as an error with its exit code, as a finding with its severity, or as a notice. */
interface Use {
  readonly code: string;
  /** `1`, `2`, `error`, `warning`, `note`, `notice`; empty where it is decided elsewhere. */
  readonly as: string;
}

function listSources(): readonly ts.SourceFile[] {
  const files = readdirSync(join(ROOT, 'src'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/\.test\.ts$|fixtures\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return files.map((path) => ts.createSourceFile(relative(ROOT, path), readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true));
}

function listNodes(file: ts.SourceFile): readonly ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    node.forEachChild(visit);
  };
  visit(file);
  return nodes;
}

/** Everything that an expression may be: literals, both branches of a choice, the entries of a table, a constant's value, a parameter's arguments. */
function listValues(expression: ts.Expression, file: ts.SourceFile): readonly string[] {
  if (ts.isStringLiteral(expression)) return [expression.text];
  if (ts.isTemplateExpression(expression)) return TEMPLATES[expression.getText()] ?? [`no entry in TEMPLATES: ${expression.getText()}`];
  if (ts.isParenthesizedExpression(expression)) return listValues(expression.expression, file);
  if (ts.isConditionalExpression(expression)) return [expression.whenTrue, expression.whenFalse].flatMap((part) => listValues(part, file));
  if (ts.isBinaryExpression(expression)) return [expression.left, expression.right].flatMap((part) => listValues(part, file));
  if (ts.isElementAccessExpression(expression)) return listValues(expression.expression, file);
  if (ts.isObjectLiteralExpression(expression)) {
    return expression.properties.flatMap((property) => (ts.isPropertyAssignment(property) ? listValues(property.initializer, file) : []));
  }
  return ts.isIdentifier(expression) ? listNamed(expression.text, file) : [];
}

/** What a name stands for in its file: a constant, or a parameter of a function that is called there. */
function listNamed(name: string, file: ts.SourceFile): readonly string[] {
  const nodes = listNodes(file);
  const constant = nodes.find((node) => ts.isVariableDeclaration(node) && node.name.getText() === name && node.initializer !== undefined);
  if (constant !== undefined && ts.isVariableDeclaration(constant) && constant.initializer !== undefined)
    return listValues(constant.initializer, file);
  return nodes.flatMap((node) => {
    if (!ts.isFunctionDeclaration(node) && !ts.isMethodDeclaration(node)) return [];
    const position = node.parameters.findIndex((parameter) => parameter.name.getText() === name);
    const called = node.name?.getText();
    if (position < 0 || called === undefined) return [];
    return nodes
      .filter(ts.isCallExpression)
      .filter((call) => call.expression.getText().replace('this.', '') === called)
      .flatMap((call) => (call.arguments[position] === undefined ? [] : listValues(call.arguments[position], file)));
  });
}

function readProperty(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of object.properties) {
    if (property.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

/** An error tells `what`; a finding tells a message with its severity, or with its fix where the severity is added later. */
function readObject(object: ts.ObjectLiteralExpression, file: ts.SourceFile): readonly Use[] {
  const code = readProperty(object, 'code');
  if (code === undefined) return [];
  const isError = readProperty(object, 'what') !== undefined;
  const isFinding = readProperty(object, 'message') !== undefined && readProperty(object, 'fix') !== undefined;
  if (!isError && !isFinding) return [];
  const severity = readProperty(object, 'severity');
  const as = isError
    ? (readProperty(object, 'exitCode')?.getText() ?? '1')
    : severity !== undefined && ts.isStringLiteral(severity)
      ? severity.text
      : '';
  return listValues(code, file).map((text) => ({ code: text, as }));
}

function readNotice(call: ts.CallExpression, file: ts.SourceFile): readonly Use[] {
  const [, , code] = call.arguments;
  if (call.expression.getText() !== 'notify' || code === undefined) return [];
  return listValues(code, file).map((text) => ({ code: text, as: 'notice' }));
}

const USES: readonly Use[] = listSources().flatMap((file) =>
  listNodes(file).flatMap((node) => {
    if (ts.isObjectLiteralExpression(node)) return readObject(node, file);
    return ts.isCallExpression(node) ? readNotice(node, file) : [];
  }),
);

/** The rows of the page: `| `code` | exit code or severity | …`. */
const ROWS = [...PAGE.matchAll(/^\| `([a-z-]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map((match) => ({
  code: match[1] as string,
  as: (match[2] as string).trim(),
}));

test('every code of an error, a finding or a notice is in docs/errors.md, and every code there is one', () => {
  const used = [...new Set(USES.map((use) => use.code))].sort();
  expect(used.length).toBeGreaterThan(50);
  expect(used.filter((code) => !/^[a-z]+(-[a-z]+)*$/.test(code))).toEqual([]);
  expect([...new Set(ROWS.map((row) => row.code))].sort()).toEqual(used);
});

test('no code stands twice in docs/errors.md, and the table is in alphabetical order', () => {
  const codes = ROWS.map((row) => row.code);
  expect(new Set(codes).size).toBe(codes.length);
  const sections = PAGE.split(/^## /m).map((section) => [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1] as string));
  for (const section of sections) expect(section).toEqual([...section].sort());
});

test('the exit codes and severities of docs/errors.md are those of the code', () => {
  const wrong = ROWS.flatMap(({ code, as }) => {
    const known = [...new Set(USES.filter((use) => use.code === code && use.as !== '').map((use) => use.as))].sort().join(', ');
    return known === '' || known === as ? [] : [`${code} is ${known}; the page says ${as}`];
  });
  expect(wrong).toEqual([]);
});
