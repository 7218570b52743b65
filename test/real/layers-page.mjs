/** The page that says what each layer stopped: its tables are written by the test itself. */
import { PROBED_CLIS } from './agent-clis.mjs';
import { keepMarkedPart } from './marked-part.mjs';
import { PROBE_ATTEMPTS } from './model-server.mjs';

/** By flags alone, and with the sandbox. */
const LAYERS = 2;

/**
 * Writes the tables into the page, or says where what was seen differs from it. Differences are news, not failures: a CLI may hold more than it did.
 *
 * @param {import('./lanes/scope.mjs').Outcome[]} outcomes
 * @param {{ write: boolean }} options
 * @returns {Promise<string[]>} what to tell, one line each
 */
export async function keepLayers(outcomes, { write }) {
  const missing = PROBED_CLIS.filter((cli) => outcomes.filter((outcome) => outcome.cli === cli).length < LAYERS);
  return keepMarkedPart({ page: 'sandbox-layers.md', name: 'layers', lane: 'scope' }, render(outcomes), { write, missing });
}

/** @param {import('./lanes/scope.mjs').Outcome[]} outcomes */
function render(outcomes) {
  const flags = outcomes.filter(({ layer }) => layer === 'flags');
  const sandbox = outcomes.filter(({ layer }) => layer === 'sandbox');
  return [
    'By the flags of the CLI alone (`sandbox: off`):',
    '',
    `| agent | version | ${PROBE_ATTEMPTS.map(({ words }) => words).join(' | ')} | the check afterwards | its tests | its event |`,
    `|---|---|${PROBE_ATTEMPTS.map(() => '---|').join('')}---|---|---|`,
    ...flags.map(
      (outcome) => `| \`${outcome.cli}\` | ${outcome.version} | ${toCells(outcome)} | ${toReport(outcome)} | ${toWork(outcome)} |`,
    ),
    '',
    'With bubblewrap (`sandbox: required`):',
    '',
    '| agent | version | changed files left behind | stopped, as the run told it | its tests | its event |',
    '|---|---|---|---|---|---|',
    ...sandbox.map(
      (outcome) => `| \`${outcome.cli}\` | ${outcome.version} | ${toLeft(outcome)} | ${toTold(outcome)} | ${toWork(outcome)} |`,
    ),
  ].join('\n');
}

/** @param {import('./lanes/scope.mjs').Outcome} outcome */
function toCells({ through }) {
  return PROBE_ATTEMPTS.map(({ id }) => (through.includes(id) ? '**came through**' : 'stopped')).join(' | ');
}

/** @param {import('./lanes/scope.mjs').Outcome} outcome */
function toReport({ through, others, reported }) {
  if (through.length + others.length === 0) return 'had nothing to tell';
  return reported ? 'told all of it' : '**did not tell all**';
}

/** @param {import('./lanes/scope.mjs').Outcome} outcome */
function toLeft({ through, others }) {
  return through.length + others.length === 0 ? 'none' : `**${[...through, ...others].join(', ')}**`;
}

/** @param {import('./lanes/scope.mjs').Outcome} outcome */
function toTold({ told }) {
  const { flags = 0, os = 0 } = told;
  return [...(flags > 0 ? [`${flags} by its CLI`] : []), ...(os > 0 ? [`${os} by the operating system`] : [])].join(', ');
}

/** @param {import('./lanes/scope.mjs').Outcome} outcome */
function toWork({ ranTests, published }) {
  return `${ranTests ? 'ran' : '**did not run**'} | ${published ? 'arrived' : '**did not arrive**'}`;
}
