/**
 * Runs one command with a time limit and ends everything it started. Agent CLIs put tools into sessions of their own and
 * relaunch themselves, so the descendants are collected before the kill: a group kill alone would miss them.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const GRACE_MS = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** Leaders of the process groups that run now. @type {Set<number>} */
const living = new Set();

/**
 * Makes Ctrl+C and SIGTERM end the running commands too: they have process groups of their own and would go on.
 *
 * @param {() => Promise<unknown>} [alsoEnd] what else has to end before this process may
 */
export function endCommandsOnSignal(alsoEnd = async () => {}) {
  for (const [signal, exitCode] of /** @type {const} */ ([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])) {
    process.once(signal, () => void Promise.all([alsoEnd(), ...[...living].map(killTree)]).then(() => process.exit(exitCode)));
  }
}

/**
 * @typedef {object} BoundedResult
 * @property {number | null} exitCode null when a signal ended it or it did not start
 * @property {string | null} signal
 * @property {string} stdout
 * @property {string} stderr
 * @property {boolean} timedOut
 * @property {number} durationMs from spawn until the process ended and its output was read
 */

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: Record<string, string>, timeoutMs: number, input?: string }} options input: text for stdin, which is closed after it
 * @returns {Promise<BoundedResult>} never rejects: a spawn error ends up in stderr with exit code null
 */
export function runBounded(command, args, options) {
  const { cwd, env, timeoutMs, input } = options;
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
    if (child.pid !== undefined) living.add(child.pid);
    const output = { stdout: collect(child.stdout), stderr: collect(child.stderr) };
    let timedOut = false;
    let drain = /** @type {NodeJS.Timeout | undefined} */ (undefined);
    const limit = setTimeout(() => {
      timedOut = true;
      void killTree(child.pid);
    }, timeoutMs);
    /** @param {number | null} exitCode @param {string | null} signal @param {string} [problem] */
    const finish = (exitCode, signal, problem = '') => {
      clearTimeout(limit);
      clearTimeout(drain);
      if (child.pid !== undefined) living.delete(child.pid);
      const stderr = output.stderr() + problem;
      resolve({ exitCode, signal, stdout: output.stdout(), stderr, timedOut, durationMs: Date.now() - startedAt });
    };
    child.on('error', (error) => finish(null, null, `${error.message}\n`));
    child.on('close', finish);
    // A descendant that keeps the pipe open must not hold the run up: what came until shortly after the exit counts.
    child.on('exit', (code, signal) => {
      drain = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        finish(code, signal);
      }, 1_000);
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/**
 * @param {import('node:stream').Readable | null} stream
 * @returns {() => string} what came so far, cut at 32 MB
 */
function collect(stream) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  stream?.on('data', (/** @type {Buffer} */ chunk) => {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/**
 * Ends a process, its group and all descendants: first asked, two seconds later by force.
 *
 * @param {number | undefined} pid leader of a process group; undefined does nothing
 */
export async function killTree(pid) {
  if (pid === undefined) return;
  const family = descendants(pid);
  signalAll([-pid, ...family], 'SIGTERM');
  const deadline = Date.now() + GRACE_MS;
  while (Date.now() < deadline && [pid, ...family].some(alive)) await new Promise((wake) => setTimeout(wake, 50));
  signalAll([-pid, pid, ...family.filter(alive), ...descendants(pid)], 'SIGKILL');
}

/**
 * @param {number[]} pids
 * @param {NodeJS.Signals} signal
 */
function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended already.
    }
  }
}

/** @param {number} pid */
function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {number} pid
 * @returns {number[]} all living descendants; empty where there is no /proc
 */
function descendants(pid) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const [child, parent] of processTable()) children.set(parent, [...(children.get(parent) ?? []), child]);
  const found = [];
  const queue = [pid];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const below = children.get(next) ?? [];
    found.push(...below);
    queue.push(...below);
  }
  return found;
}

/** @returns {Array<[number, number]>} pairs of pid and parent's pid */
function processTable() {
  let names;
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The command may hold spaces and brackets, so the fields are counted from the last bracket.
        const status = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [/** @type {[number, number]} */ ([Number(name), Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1])])];
      } catch {
        return [];
      }
    });
}
