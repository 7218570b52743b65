/** Timing of whole processes, in pairs, so that a machine whose speed drifts slows both sides alike. */
import { spawnSync } from 'node:child_process';

/** The environment of everything that is measured: Node reads extra certificates at every start, which would drown the rest. */
export function cleanEnvironment(extra = {}) {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, RALPH_RUN_ID: ___, ...env } = process.env;
  return { ...env, ...extra };
}

/** Milliseconds of one run; throws when it fails. */
export function timeOnce({ command, args, cwd, env = cleanEnvironment(), accepts = [0], prepare }) {
  prepare?.();
  const startedAt = process.hrtime.bigint();
  const result = spawnSync(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  const ms = Number(process.hrtime.bigint() - startedAt) / 1e6;
  if (!accepts.includes(result.status)) {
    throw new Error(`${command} ${args.join(' ')} ended with ${result.status ?? result.signal}: ${String(result.stderr).slice(-500)}`);
  }
  return ms;
}

/** Times two commands in turn, after one warm-up of each. */
export function timePair(ours, theirs, runs) {
  timeOnce(ours);
  timeOnce(theirs);
  const a = [];
  const b = [];
  for (let run = 0; run < runs; run += 1) {
    a.push(timeOnce(ours));
    b.push(timeOnce(theirs));
  }
  return { ours: summarise(a), theirs: summarise(b), ratio: median(a) / median(b) };
}

export function summarise(values) {
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) };
}

function median(values) {
  const sorted = [...values].sort((x, y) => x - y);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** One row of the table that `npm run bench` prints. */
export function row(what, ours, against, ratio, note = '') {
  return { what, ours, against, ratio, note };
}

export const ms = (value) => `${value.toFixed(1)} ms`;

export const pause = (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs));

export async function time(act) {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

export function timeSync(act) {
  const startedAt = performance.now();
  act();
  return performance.now() - startedAt;
}

/** The value below which such a share of them is. */
export function shareOf(values, share) {
  return values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))];
}

/** p50 and p99. */
export function toPair(times) {
  return `${shareOf(times, 0.5).toFixed(1)} and ${ms(shareOf(times, 0.99))}`;
}

/** A budget, and whether what was measured keeps it. */
export function toBudget(text, holds) {
  return `budget ${text}: ${holds ? 'held' : '**missed**'}`;
}
