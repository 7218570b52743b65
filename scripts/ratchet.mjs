/**
 * Holds the code (src/, tests and fixtures aside) to its limits: how long a file and a function may be, how much a file may pull in, how many names are those of
 * types in several files, how many commands and configuration keys there are. A limit may only be lowered, and is when its figure has fallen.
 *
 * Nothing here limits how long the usual file is: cutting a file in two makes the median smaller and the code no simpler. *Reach* says that: how many other
 * files the median file pulls in, all the way down, by any kind of import.
 */
import { findLongestChain, listSharedNames, measureCode, measureReach, quantile } from './measure-code.mjs';
import { ROOT } from './sources.mjs';
import { findSurfaceFaults } from './surface.mjs';

const SHARES = { median: 0.5, p90: 0.9, max: 1 };
const LIMITS = {
  files: { max: 400 },
  functions: { p90: 25, max: 60 },
  reach: { median: 20 },
  depth: { max: 20 },
  // Of types, that several files have. One is `Args`: what a tool of the native agent is called with, and each tool has its own.
  names: { max: 2 },
};
const SHOWN_PER_LIMIT = 5;

/** Prints each figure beside its limit, and where one is above it the worst that led to it. */
function report(kind, measured, showWorst) {
  const values = measured.map(({ value }) => value);
  return Object.entries(LIMITS[kind]).map(([figure, limit]) => {
    const value = quantile(values, SHARES[figure]);
    console.log(
      `${kind.padEnd(9)} ${figure.padEnd(6)} ${String(value).padStart(4)}  limit ${String(limit).padStart(4)}  of ${measured.length}`,
    );
    if (value > limit) for (const line of showWorst(measured)) console.error(`  ${line}`);
    return value <= limit;
  });
}

const listLargest = (measured) =>
  [...measured]
    .sort((a, b) => b.value - a.value)
    .slice(0, SHOWN_PER_LIMIT)
    .map(({ label, value }) => `${String(value).padStart(4)}  ${label}`);

const files = measureCode(ROOT);
const chain = findLongestChain(files);
const sharedTypes = listSharedNames(files, 'types');
const faults = findSurfaceFaults();
const results = [
  ...report(
    'files',
    files.map(({ path, lines }) => ({ label: path, value: lines })),
    listLargest,
  ),
  ...report(
    'functions',
    files.flatMap((file) => file.functions.map(({ label, lines }) => ({ label, value: lines }))),
    listLargest,
  ),
  ...report('reach', measureReach(files), () => [
    'The median file pulls in more files than before. What helps: import the file that holds what is needed where that is in the same room, keep contracts apart from what fulfils them.',
  ]),
  ...report('depth', [{ label: chain[0], value: chain.length }], () => chain),
  ...report('names', [{ label: 'in several files', value: sharedTypes.length }], () => sharedTypes),
];
for (const fault of faults) console.error(fault);
process.exitCode = results.every(Boolean) && faults.length === 0 ? 0 : 1;
