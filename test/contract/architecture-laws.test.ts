/** The laws of ARCHITECTURE.md that are about what code may know, read off the code itself. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function listSources(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/\.test\.ts$|fixtures\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** What a file imports, types included. */
function listImports(path: string): readonly string[] {
  return ts.preProcessFile(readFileSync(path, 'utf8'), true, true).importedFiles.map((file) => file.fileName);
}

test('law 1: decide reads no file: nothing that it is made of, however far its imports go, is a Node module or a package', () => {
  const seen = new Set<string>();
  const foreign: string[] = [];
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const name of listImports(path)) {
      const file = join(dirname(path), name);
      if (name.startsWith('.') && existsSync(file)) visit(file);
      else foreign.push(`${relative(ROOT, path)} imports ${name}`);
    }
  };
  visit(join(ROOT, 'src/loop/decide/index.ts'));
  expect(foreign).toEqual([]);
  expect([...seen].some((path) => path.endsWith('src/topology/routing/compile-topology.ts'))).toBe(true);
  expect(seen.size).toBeGreaterThan(40);
});

/** Where a declaration stands: `app`, `loop/shell`, …; `null` outside of src. */
function toRoom(path: string): string | null {
  return /\/src\/(loop\/[^/]+|[^/]+)\//.exec(path)?.[1] ?? null;
}

/** Rooms in which a run is planned, put together, told of and brought home: what they call behind a port gets settings of its own. */
const AROUND_A_RUN = [
  'safety',
  'plugins',
  'project',
  'runs',
  'run-gates',
  'turns',
  'doctor',
  'planning',
  'landing',
  'fleet-runs',
  'app',
  'worker',
];
/** Rooms that are allowed to know the configuration: those that read it, those around a run, the commands. */
const KNOWERS = ['config', 'validation', 'library', ...AROUND_A_RUN, 'cli'];

test('law 6: nobody receives the whole configuration: no room but those around a run and the commands is given the settings', {
  timeout: 120_000,
}, () => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => readFileSync(path, 'utf8'));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const files = listSources('src');
  const program = ts.createProgram([...files], { ...options, noEmit: true, incremental: false, skipLibCheck: true });
  const checker = program.getTypeChecker();
  const isWhole = (type: ts.Type): boolean =>
    [type.aliasSymbol, type.symbol].some((symbol) =>
      symbol?.declarations?.some(
        (node) => ['Settings', 'LoadedConfig'].includes(symbol.name) && toRoom(node.getSourceFile().fileName) === 'config',
      ),
    );
  const holdsWhole = (expression: ts.Expression): boolean => {
    let argument = expression;
    while (ts.isAsExpression(argument) || ts.isParenthesizedExpression(argument) || ts.isSatisfiesExpression(argument))
      argument = argument.expression;
    if (!ts.isObjectLiteralExpression(argument)) return isWhole(checker.getTypeAtLocation(argument));
    return argument.properties.some((property) => {
      if (ts.isPropertyAssignment(property)) return holdsWhole(property.initializer);
      return (
        (ts.isShorthandPropertyAssignment(property) || ts.isSpreadAssignment(property)) &&
        isWhole(checker.getTypeAtLocation(ts.isSpreadAssignment(property) ? property.expression : property.name))
      );
    });
  };
  const given: { readonly room: string | null; readonly place: string }[] = [];
  for (const path of files) {
    const source = program.getSourceFile(path);
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && node.arguments.some(holdsWhole)) {
        const declaration = checker.getResolvedSignature(node)?.declaration;
        const room = declaration === undefined ? null : toRoom(declaration.getSourceFile().fileName);
        given.push({ room, place: `${relative(ROOT, path)}: ${node.expression.getText()}` });
      }
      node.forEachChild(visit);
    };
    if (source !== undefined) visit(source);
  }
  expect(given.filter(({ room }) => room !== null && !KNOWERS.includes(room)).map(({ place }) => place)).toEqual([]);
  // Were nothing found at all, the question would be asked wrongly.
  expect(given.filter(({ room }) => room === 'planning').length).toBeGreaterThan(3);
  const importers = files.filter(
    (path) => toRoom(path) !== 'config' && listImports(path).some((name) => name.endsWith('/config/index.ts')),
  );
  expect([...new Set(importers.map(toRoom))].filter((room) => !KNOWERS.includes(room ?? ''))).toEqual([]);
});
