/**
 * The house in figures: how big the product's code is, how much of it a file pulls in, how far one must go to follow something through it.
 *
 *   node scripts/house-figures.mjs               of this checkout, as it is
 *   node scripts/house-figures.mjs --at COMMIT   of a commit
 *
 * Files are those under src/, tests and fixtures aside. What each figure counts is said in docs/decisions/2026-11-23-the-house-in-figures.md.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dirname } from 'node:path/posix';
import { parseArgs } from 'node:util';
import { findLongestChain, listSharedNames, measureCode, measureReach, quantile } from './measure-code.mjs';
import { readWalks } from './read-walks.mjs';
import { ROOT } from './sources.mjs';
import { listCommands, listConfigurationKeys } from './surface.mjs';

const MAX_FILES_A_FOLDER = 40;
const SMALL_FILE_LINES = 30;

/** Files of which there is one for each rule, tool, input and command, however short. */
const ONE_PER_THING = /\/(rules|tools|commands)\/|\/on-[\w-]+\.ts$/;

const sum = (values) => values.reduce((total, value) => total + value, 0);
const toSpread = (values) => [0.5, 0.9, 1].map((share) => quantile(values, share)).join(' / ');

/** Folders with too many files of their own, with how many. */
function listFullFolders(files) {
  const counts = new Map();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > MAX_FILES_A_FOLDER).map(([folder, count]) => `${folder} ${count}`);
}

/** Small files that one other file alone imports, and that lie beside it. */
function listSmallNeighbours(files) {
  const importers = new Map();
  for (const { path, imports } of files) for (const target of imports) importers.set(target, [...(importers.get(target) ?? []), path]);
  return files.filter(({ path, lines }) => {
    const [importer, ...others] = importers.get(path) ?? [];
    return (
      lines < SMALL_FILE_LINES &&
      !ONE_PER_THING.test(path) &&
      importer !== undefined &&
      others.length === 0 &&
      dirname(importer) === dirname(path)
    );
  });
}

function listFigures(root) {
  const files = measureCode(root);
  const functions = files.flatMap((file) => file.functions.map(({ lines }) => lines));
  const fullFolders = listFullFolders(files);
  return [
    ['product lines', sum(files.map(({ lines }) => lines))],
    ['files', files.length],
    ['file lines, median / p90 / max', toSpread(files.map(({ lines }) => lines))],
    ['functions', functions.length],
    ['function lines, median / p90 / max', toSpread(functions)],
    ['reach, median / p90 / max', toSpread(measureReach(files).map(({ value }) => value))],
    ['import depth', findLongestChain(files).length],
    ['exports', sum(files.map((file) => file.exports.length))],
    ['names that several files export', listSharedNames(files, 'exports').length],
    ['names that types of several files have', listSharedNames(files, 'types').length],
    [`folders with more than ${MAX_FILES_A_FOLDER} files`, fullFolders.length > 0 ? fullFolders.join(', ') : 'none'],
    [`files under ${SMALL_FILE_LINES} lines with one importer, beside it`, listSmallNeighbours(files).length],
    ['commands', listCommands(root).length],
    ['configuration keys', listConfigurationKeys(root).length],
    ...readWalks(root).map(({ title, paths }) => [`walk: ${title}`, `${paths.length} files`]),
  ];
}

/** A folder with the files of a commit; whoever asked for it removes it. */
function checkOut(commit) {
  const folder = mkdtempSync(join(tmpdir(), 'house-figures-'));
  const archive = execFileSync('git', ['archive', commit, 'src', 'docs', 'ARCHITECTURE.md'], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  return folder;
}

const { at } = parseArgs({ options: { at: { type: 'string' } } }).values;
const root = at === undefined ? ROOT : checkOut(at);
try {
  for (const [name, value] of listFigures(root)) console.log(`${name.padEnd(52)} ${value}`);
} finally {
  if (at !== undefined) rmSync(root, { recursive: true });
}
