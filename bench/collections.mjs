import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { generateCollection } from './generate-collection.mjs';
import { cleanEnvironment, ms, row, timePair } from './measure.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const SIZES = [1000, 10_000];
const RUNS = 3;
const PROCESS_RUNS = 9;
const PRESET = 'feature';

/** `ralph validate`, whole process: of a preset, and of 10,000 hats with 50,000 topics. */
export async function benchValidate() {
  return withFolder({ 'large.yml': generateCollection(10_000) }, (cwd) => {
    const bare = { command: process.execPath, args: ['-e', '0'], cwd };
    const validate = (...args) => ({ command: process.execPath, args: [RALPH, 'validate', ...args], cwd });
    const preset = timePair(validate(join(RALPH, '..', '..', 'presets', `${PRESET}.yml`)), bare, PROCESS_RUNS);
    const large = timePair(validate('large.yml'), bare, RUNS);
    return [
      toProcessRow(`\`ralph validate\` of the preset ${PRESET}, whole process`, preset, PROCESS_RUNS),
      toProcessRow('`ralph validate` of 10,000 hats and 50,000 topics, whole process', large, RUNS),
    ];
  });
}

function toProcessRow(what, { ours, theirs, ratio }, runs) {
  return row(
    what,
    ms(ours.min),
    `\`node -e 0\` ${ms(theirs.min)}`,
    `${ratio.toFixed(2)} x`,
    `min of ${runs}; the ratio is that of the medians`,
  );
}

/** Loading and checking collections of two sizes, and how the time grows. */
export async function benchCollections() {
  return withBundle(new URL('collections.ts', import.meta.url), (bundle) =>
    withFolder({}, (cwd) => {
      const measured = SIZES.map((hats) => measureSize(bundle, cwd, hats));
      return measured.flatMap((size, index) => toRows(size, measured[index - 1]));
    }),
  );
}

function measureSize(bundle, cwd, hats) {
  const text = generateCollection(hats);
  writeFileSync(join(cwd, `${hats}.yml`), text);
  const runs = Array.from({ length: RUNS }, () => measureOnce(bundle, cwd, `${hats}.yml`));
  const least = (name) => Math.min(...runs.map((run) => run[name]));
  return { hats, megabytes: text.length / 1e6, loadMs: least('loadMs'), validateMs: least('validateMs'), peakMb: least('peakKb') / 1000 };
}

function measureOnce(bundle, cwd, file) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, file], { cwd, env: cleanEnvironment(), encoding: 'utf8' });
  if (status !== 0) throw new Error(`measuring ${file} ended with ${status}: ${stderr.slice(-500)}`);
  return JSON.parse(stdout);
}

function toRows(size, smaller) {
  const hats = `${size.hats.toLocaleString('en')} hats, ${(size.hats * 5).toLocaleString('en')} topics`;
  const note = `${size.megabytes.toFixed(1)} MB, peak memory ${Math.round(size.peakMb)} MB`;
  return [
    row(`loading ${hats}`, ms(size.loadMs), '', toExponent(size, smaller, 'loadMs'), note),
    row(`checking the flow of ${hats}`, ms(size.validateMs), '', toExponent(size, smaller, 'validateMs'), 'after loading'),
  ];
}

/** 1.0 is linear growth, 2.0 quadratic. */
function toExponent(size, smaller, name) {
  if (smaller === undefined) return '';
  return `grows by n^${(Math.log(size[name] / smaller[name]) / Math.log(size.hats / smaller.hats)).toFixed(2)}`;
}
