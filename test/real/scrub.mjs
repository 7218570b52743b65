/**
 * Takes out of a recording what belongs to one machine or one moment: paths, ports, keys, names, random ids. The same thing
 * gets the same placeholder everywhere in a recording, so what refers to what stays visible.
 */
import { hostname, userInfo } from 'node:os';

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** Ids with a short prefix and a long random tail, such as `ses_dffbe0141ffeJC2UQgZAAuZmue`. */
const PREFIXED_ID = /\b(ses|prt|msg|per|toolu|call|run|conv|agent|req|evt|hub)(_+|-)(?=[A-Za-z0-9]*\d)([A-Za-z0-9]{12,})\b/g;
/** Ids made of a time and some random letters, such as `conv_1795301120276_6w0a140`. */
const TIMED_ID = /\b(agent|conv|session|run)_(\d{13}_[a-z0-9]{5,})\b/g;
/** Sockets and temporary files named after a process, wherever a CLI insists on putting them. */
const PROCESS_FILE = /(\/tmp\/[A-Za-z-]+\/)\d+(\.sock)/g;
const KEYS = /sk-ant-mock-key|sk-mock|mock-key/g;
const MAX_LINE_CHARACTERS = 64 * 1024;

/**
 * @typedef {object} Traces
 * @property {string} home
 * @property {string} cwd
 * @property {string} install folder of the CLI's installation
 * @property {number} port
 */

/**
 * Makes a scrubber for one recording; use the same one for stdout and stderr of a run.
 *
 * @param {Traces} traces
 * @returns {(text: string) => string}
 */
export function createScrubber({ home, cwd, install, port }) {
  const uuid = counter((index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`);
  const prefixed = counter((index) => String(index).padStart(16, '0'));
  const literal = [...variants(cwd, '/home/tester/project'), ...variants(home, '/home/tester'), ...variants(install, '/opt/agent-cli')];
  const names = [hostname(), userInfo().username]
    .filter((name) => name.length > 3 && name !== 'root')
    .map((name) => new RegExp(`\\b${escapeRegExp(name)}\\b`, 'g'));
  return (text) => {
    let clean = text;
    for (const [found, placeholder] of literal) clean = clean.replaceAll(found, placeholder);
    for (const name of names) clean = clean.replace(name, 'tester');
    return clean
      .replaceAll(`:${port}`, ':4010')
      .replace(KEYS, 'API-KEY')
      .replace(PROCESS_FILE, (_whole, folder, ending) => `${folder}1${ending}`)
      .replace(TIMED_ID, (_whole, prefix, tail) => `${prefix}_1700000000000_${prefixed(tail).slice(-6)}`)
      .replace(UUID, uuid)
      .replace(PREFIXED_ID, (whole, prefix, joint, tail) => (tail.startsWith('mock') ? whole : `${prefix}${joint}${prefixed(tail)}`));
  };
}

/**
 * A path also appears with every separator turned into a dash, as a name for a folder of sessions.
 *
 * @param {string} path
 * @param {string} placeholder
 * @returns {Array<[string, string]>}
 */
function variants(path, placeholder) {
  const dashed = (/** @type {string} */ text) => text.replace(/[^A-Za-z0-9]/g, '-');
  return [
    [path, placeholder],
    [dashed(path), dashed(placeholder)],
  ];
}

/**
 * @param {(index: number) => string} render
 * @returns {(found: string) => string} numbers things in the order in which they appear
 */
function counter(render) {
  /** @type {Map<string, string>} */
  const seen = new Map();
  return (found) => {
    const known = seen.get(found) ?? render(seen.size + 1);
    seen.set(found, known);
    return known;
  };
}

/** @param {string} text */
function escapeRegExp(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * Shortens single lines over 64 KB; every other line stays as it is.
 *
 * @param {string} text
 * @returns {string}
 */
export function pruneLongLines(text) {
  return text
    .split('\n')
    .map((line) => (line.length > MAX_LINE_CHARACTERS ? pruneLine(line) : line))
    .join('\n');
}

/** @param {string} line */
function pruneLine(line) {
  try {
    return JSON.stringify(pruneValue(JSON.parse(line)));
  } catch {
    return `${line.slice(0, 1_000)}…[${line.length - 1_000} characters left out]`;
  }
}

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function pruneValue(value) {
  if (typeof value === 'string') return value.length > 2_000 ? `${value.slice(0, 500)}…[${value.length - 500} characters left out]` : value;
  if (Array.isArray(value)) return value.slice(0, 20).map(pruneValue);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pruneValue(inner)]));
  return value;
}
