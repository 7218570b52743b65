/** Runs the `ralph` of this checkout as a person would: as a command, by its exit code and its output. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { record } from './model-server.mjs';
import { killTree } from './run-bounded.mjs';

const COMMAND = join(fileURLToPath(new URL('../..', import.meta.url)), 'bin', 'ralph.js');

/** How the lanes start and resume runs. */
export const RUN = ['run', '-c', 'ralph.yml', '-p', 'Do what your hat says.', '--no-tui', '--format', 'ndjson'];
export const RESUME = ['resume', '--no-tui', '--format', 'ndjson'];

/** Command lines that run now, by pid of their leader. @type {Set<number>} */
const living = new Set();

/** Ends every command that still runs; for a runner that is told to stop. */
export async function endRalphs() {
  await Promise.all([...living].map(killTree));
}

/**
 * @typedef {Record<string, any>} NdjsonRecord one line of `--format ndjson`
 *
 * @typedef {object} RalphResult
 * @property {number | null} exitCode null when a signal ended it
 * @property {string | null} signal
 * @property {string} stdout
 * @property {string} stderr
 * @property {NdjsonRecord[]} records the lines of stdout that are JSON objects
 * @property {boolean} timedOut
 * @property {number} durationMs
 *
 * @typedef {object} RunningRalph
 * @property {number} pid
 * @property {(signal: NodeJS.Signals) => void} kill to the process alone, as a terminal would not; in a terminal of its own that is the terminal, which closes
 * @property {() => string} said standard output until now; of a terminal, what was drawn
 * @property {() => string} noted standard error until now
 * @property {(keys: string) => void} press keys in a terminal of its own
 * @property {Promise<RalphResult>} result never rejects
 */

/** Why nothing can be started in a terminal of its own here; undefined where it can. The `script` of other systems takes other words. */
export function findNoTerminal() {
  const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
  return /util-linux/.test(stdout ?? '') ? undefined : 'there is no `script` of util-linux';
}

/**
 * Starts `ralph …`. When the time is up it is ended with everything that it started.
 *
 * @param {string[]} args
 * @param {{ cwd: string, env: Record<string, string>, timeoutMs: number, inTerminal?: boolean, around?: (command: string[]) => string[] }} options
 *   inTerminal: in a terminal of its own, 120 by 36; around: makes another command of it, which starts it
 * @returns {RunningRalph}
 */
export function startRalph(args, { cwd, env, timeoutMs, inTerminal = false, around = (command) => command }) {
  const startedAt = Date.now();
  const [program = '', ...words] = inTerminal ? ['script', ...toScriptWords(args)] : around([process.execPath, COMMAND, ...args]);
  const child = spawn(program, words, { cwd, env, detached: true, stdio: [inTerminal ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
  const pid = child.pid;
  if (pid === undefined) throw new Error('ralph could not be started');
  living.add(pid);
  /** @type {{ stdout: Buffer[], stderr: Buffer[] }} */
  const output = { stdout: [], stderr: [] };
  child.stdout.on('data', (chunk) => output.stdout.push(chunk));
  child.stderr.on('data', (chunk) => output.stderr.push(chunk));
  child.stdin?.on('error', () => {});
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    void killTree(pid);
  }, timeoutMs);
  /** @type {Promise<RalphResult>} */
  const result = new Promise((resolve) => {
    child.once('close', (exitCode, signal) => {
      clearTimeout(limit);
      living.delete(pid);
      const stdout = Buffer.concat(output.stdout).toString('utf8');
      const stderr = Buffer.concat(output.stderr).toString('utf8');
      resolve({ exitCode, signal, stdout, stderr, records: toRecords(stdout), timedOut, durationMs: Date.now() - startedAt });
    });
  });
  return {
    pid,
    kill: (signal) => void child.kill(signal),
    said: () => Buffer.concat(output.stdout).toString('utf8'),
    noted: () => Buffer.concat(output.stderr).toString('utf8'),
    press: (keys) => void child.stdin?.write(keys),
    result,
  };
}

/** The command becomes the process right below the terminal. @param {string[]} args */
function toScriptWords(args) {
  const command = [process.execPath, COMMAND, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return ['-qfec', `stty columns 120 rows 36; exec ${command}`, '/dev/null'];
}

/**
 * @param {number} terminal
 * @returns {number | undefined} pid of the command that was started in a terminal of its own; undefined when it has ended
 */
export function findInTerminal(terminal) {
  try {
    const [pid] = readFileSync(`/proc/${terminal}/task/${terminal}/children`, 'utf8').trim().split(' ').map(Number);
    return pid === 0 ? undefined : pid;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} text
 * @returns {NdjsonRecord[]}
 */
export function toRecords(text) {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      return [record(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

/**
 * @typedef {object} Turn one turn of an agent, put together from the lines of a run
 * @property {number} iteration
 * @property {number} attempt
 * @property {string} hat
 * @property {string} backend
 * @property {string} outcome
 * @property {string | undefined} failure class of the failure
 * @property {string} message of the failure
 * @property {number | undefined} resetAt
 * @property {number | null} exitCode
 * @property {string | null} sessionId
 * @property {number | null} toolCalls
 * @property {Record<string, number | null>} usage
 * @property {string} finalText
 * @property {number} leftovers
 * @property {number} durationMs
 */

/**
 * @param {NdjsonRecord[]} records
 * @returns {Turn[]} in the order in which they ended
 */
export function toTurns(records) {
  /** @param {string} type @param {NdjsonRecord} turn */
  const find = (type, turn) =>
    records.find((entry) => entry['type'] === type && entry['iteration'] === turn['iteration'] && entry['attempt'] === turn['attempt']) ??
    {};
  return records
    .filter((entry) => entry['kind'] === 'input' && entry['type'] === 'iteration-ended')
    .map((end) => ({
      iteration: end['iteration'],
      attempt: end['attempt'],
      hat: find('iteration-start', end)['hat'] ?? '',
      backend: find('iteration-spawned', end)['backend'] ?? '',
      outcome: end['outcome'].status,
      failure: end['outcome'].failure?.class,
      message: end['outcome'].failure?.message ?? '',
      resetAt: end['outcome'].failure?.resetAt,
      exitCode: end['exitCode'],
      sessionId: end['sessionId'],
      toolCalls: end['toolCalls'],
      usage: end['usage'],
      finalText: end['finalText'],
      leftovers: end['leftovers'],
      durationMs: end['durationMs'],
    }));
}

/**
 * @param {NdjsonRecord[]} records
 * @returns {Array<{ id: string, topic: string, source: string, to: string[], how: string, payload: unknown, iteration: number }>}
 *   everything that was published, in order
 */
export function toPublished(records) {
  return records
    .filter((entry) => entry['kind'] === 'effect' && entry['type'] === 'event-publish')
    .map((entry) => {
      const { id, topic, source, payload, iteration } = entry['event'];
      return { id, topic, source, payload, iteration, to: entry['to'], how: entry['how'] };
    });
}
