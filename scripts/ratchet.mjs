/**
 * Measures the sizes of files and functions under src/ (tests and fixtures aside) and fails above the limits.
 * The limits may only be lowered. Lines are physical lines; of functions, those with a block body count.
 */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { listSources } from './sources.mjs';

const FILE_LIMITS = { median: 90, p90: 250, max: 400 };
const FUNCTION_LIMITS = { p90: 25, max: 60 };
const SHOWN_PER_LIMIT = 5;

/** Sizes of one file: its own and those of the functions in it. */
function measure(path) {
  const text = readFileSync(path, 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const functions = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body && ts.isBlock(node.body)) functions.push(measureFunction(path, file, node));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { file: { label: path, lines: text.replace(/\n$/, '').split('\n').length }, functions };
}

function measureFunction(path, file, node) {
  const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
  const last = file.getLineAndCharacterOfPosition(node.end).line;
  const name = node.name?.getText(file) ?? node.parent.name?.getText(file) ?? '(anonymous)';
  return { label: `${path}:${first + 1} ${name}`, lines: last - first + 1 };
}

/** The smallest value that at least this share of the sizes does not exceed. */
function quantile(sizes, share) {
  const sorted = sizes.map((size) => size.lines).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

const SHARES = { median: 0.5, p90: 0.9, max: 1 };

function report(kind, sizes, limits) {
  return Object.entries(limits).map(([measureName, limit]) => {
    const lines = quantile(sizes, SHARES[measureName]);
    console.log(
      `${kind.padEnd(9)} ${measureName.padEnd(6)} ${String(lines).padStart(4)}  limit ${String(limit).padStart(4)}  of ${sizes.length}`,
    );
    if (lines <= limit) return true;
    const longest = [...sizes].sort((a, b) => b.lines - a.lines).slice(0, SHOWN_PER_LIMIT);
    for (const size of longest) console.error(`  ${String(size.lines).padStart(4)}  ${size.label}`);
    return false;
  });
}

const measured = listSources(['src'], ['.ts', '.tsx'])
  .filter((path) => !/(\.test|fixtures)\.tsx?$|\.d\.ts$/.test(path))
  .map(measure);
const results = [
  ...report(
    'files',
    measured.map((entry) => entry.file),
    FILE_LIMITS,
  ),
  ...report(
    'functions',
    measured.flatMap((entry) => entry.functions),
    FUNCTION_LIMITS,
  ),
];
process.exitCode = results.every(Boolean) ? 0 : 1;
