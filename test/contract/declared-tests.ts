import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { loadScenario } from '../../src/testing/index.ts';

/** A test as its file declares it. */
export interface DeclaredTest {
  /** As the test runner prints it: the titles of its groups in front. Of a scenario: its `name`. */
  readonly title: string;
  /** Where a reader finds what it shows: the title; of a scenario its description too. */
  readonly words: string;
  /** `runIf`, `skip`, `todo` and the like, of itself or of a group around it. */
  readonly conditions: readonly string[];
  readonly asserts: boolean;
}

const GROUPS = ['describe', 'suite'];
const TESTS = ['it', 'test'];
const HARMLESS = ['each', 'concurrent', 'sequential', 'for'];

/** The tests of a file: those of a `*.test.ts`, or the one that a scenario is. Empty where there is no such file. */
export function listDeclaredTests(path: string): readonly DeclaredTest[] {
  if (!existsSync(path)) return [];
  return path.endsWith('.yml') ? [readScenarioTest(path)] : readTests(path);
}

function readScenarioTest(path: string): DeclaredTest {
  const { name, description = '', expect } = loadScenario(path);
  const asserts = [expect].flat().some((expectation) => Object.keys(expectation).length > 0);
  return { title: name, words: `${name.replaceAll('_', ' ')} ${description}`, conditions: [], asserts };
}

function readTests(path: string): readonly DeclaredTest[] {
  const found: DeclaredTest[] = [];
  const visit = (node: ts.Node, groups: readonly string[], around: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? readCall(node) : null;
    if (call === null) return node.forEachChild((child) => visit(child, groups, around));
    const titles = [...groups, call.title];
    const conditions = [...around, ...call.conditions];
    if (GROUPS.includes(call.name)) return node.forEachChild((child) => visit(child, titles, conditions));
    const title = titles.join(' > ');
    found.push({ title, words: title, conditions, asserts: /\b(expect|assert\w*)\(/.test(node.getText()) });
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true), [], []);
  return found;
}

interface DeclaringCall {
  readonly name: string;
  readonly title: string;
  readonly conditions: readonly string[];
}

/** `it('…', …)`, `describe.each(table)('…', …)`, `test.runIf(condition)('…', …)`; `null` for any other call. */
function readCall(call: ts.CallExpression): DeclaringCall | null {
  const [first] = call.arguments;
  const title = first === undefined ? null : readTitle(first);
  if (title === null || call.arguments.length < 2) return null;
  const modifiers: string[] = [];
  let callee: ts.Expression = call.expression;
  while (!ts.isIdentifier(callee)) {
    if (ts.isPropertyAccessExpression(callee)) modifiers.push(callee.name.text);
    else if (!ts.isCallExpression(callee)) return null;
    callee = callee.expression;
  }
  if (![...GROUPS, ...TESTS].includes(callee.text)) return null;
  return { name: callee.text, title, conditions: modifiers.filter((name) => !HARMLESS.includes(name)) };
}

/** A title as it stands in the code: places for values stay as they are written. */
function readTitle(node: ts.Expression): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : null;
}
