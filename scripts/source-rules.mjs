/**
 * Rules that the linter has no name for. Each: the files it looks at, what may not stand there, and why.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { findDoorProblems } from './doors.mjs';
import { ROOMS, roomPattern } from './rooms.mjs';
import { listSources } from './sources.mjs';

const CODE = ['.ts', '.tsx', '.mjs', '.js'];
const TEST = /\.test\.tsx?$/;
const PURE = new RegExp(
  Object.keys(ROOMS)
    .filter((room) => ROOMS[room].pure)
    .map(roomPattern)
    .join('|'),
);

const LINE_RULES = [
  {
    files: (path) => path.startsWith('src/') && !TEST.test(path),
    forbidden: /^let \w+(: number)? = \d+;/,
    why: 'what is counted belongs to an object or a call, not to the whole process',
  },
  {
    files: (path) => PURE.test(path) && !TEST.test(path),
    forbidden: /\bMath\.random\b/,
    why: 'a pure room draws no random numbers: take a seed as an argument',
  },
  {
    files: (path) => PURE.test(path) && !TEST.test(path),
    forbidden: /\.localeCompare\(|\.toLocale[A-Z]\w*\(|\bIntl\./,
    why: "a pure room gives the same bytes on every machine: nothing that asks for the user's language",
  },
  {
    files: (path) => TEST.test(path),
    forbidden: /\bvi\.(mock|doMock)\(/,
    why: 'no module mocks: fake the port instead',
  },
  {
    files: (path) => TEST.test(path),
    forbidden: /\b(it|test|describe|suite)(\.\w+)*\.only\b/,
    why: 'an `.only` hides the other tests',
  },
];

const VAGUE_NAME = /^(.*-)?(utils?|helpers?|common|managers?|services?)$/;

function lineProblems(path) {
  const rules = LINE_RULES.filter((rule) => rule.files(path));
  if (rules.length === 0) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) => rules.filter((rule) => rule.forbidden.test(line)).map((rule) => `${path}:${index + 1}: ${rule.why}`));
}

function nameProblems(path) {
  const vague = path.split('/').some((part) => VAGUE_NAME.test(basename(part).replace(/\..*$/, '')));
  return vague ? [`${path}: name files after what they hold, not utils, helpers, common, manager or service`] : [];
}

/**
 * A `default:` swallows what is added to a union one day, unless it hands on what it is about: to something that takes only what is left, or `satisfies never`.
 * Without one, the linter and the compiler name the members that are missing.
 */
function switchProblems(path) {
  if (!path.startsWith('src/') || TEST.test(path)) return [];
  const text = readFileSync(path, 'utf8');
  if (!/\bswitch \(/.test(text)) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (ts.isDefaultClause(node) && !mentions(node, findRoot(node.parent.parent.expression))) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.push(`${path}:${line + 1}: this \`default:\` swallows members that are added later: name the cases`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Of `event.type`: `event`. */
function findRoot(expression) {
  const isPart = ts.isPropertyAccessExpression(expression) || ts.isElementAccessExpression(expression);
  return isPart ? findRoot(expression.expression) : expression.getText();
}

function mentions(node, name) {
  return (ts.isIdentifier(node) && node.text === name) || ts.forEachChild(node, (child) => mentions(child, name) || undefined) === true;
}

const paths = listSources(['src', 'test', 'bench', 'scripts', 'web'], CODE);
const problems = [
  ...paths.flatMap((path) => [...nameProblems(path), ...lineProblems(path), ...switchProblems(path)]),
  ...findDoorProblems(),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
