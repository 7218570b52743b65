/** The table that says how each agent hears a person: it is written by the test itself. */
import { keepMarkedPart } from './marked-part.mjs';

/**
 * @typedef {object} Hearing what one agent did in one run
 * @property {string} label
 * @property {string} version
 * @property {'shell' | 'tool'} askedBy how it asked the person, and got its answer
 * @property {{ turn: number, calls: number | null } | null} given the turn of the run in which it was told, and after how many calls of tools in the midst of it
 */

/**
 * Writes the table into the page, or says where what was seen differs from it.
 *
 * @param {Hearing[]} hearings
 * @param {{ write: boolean, missing: string[] }} options `missing`: agents that were not tried
 * @returns {Promise<string[]>} what to tell, one line each
 */
export async function keepHearings(hearings, options) {
  return keepMarkedPart({ page: 'steering.md', name: 'hearings', lane: 'steer --all' }, render(hearings), options);
}

/** @param {Hearing[]} hearings */
function render(hearings) {
  const labels = [...new Set(hearings.map(({ label }) => label))];
  return [
    '| agent | version | is told | asks from its shell | asks by the tool |',
    '|---|---|---|---|---|',
    ...labels.map((label) => {
      const own = hearings.filter((hearing) => hearing.label === label);
      const asks = (/** @type {Hearing['askedBy']} */ way) => (own.some(({ askedBy }) => askedBy === way) ? 'yes' : 'not tried');
      return `| ${label} | ${own[0]?.version} | ${toChannel(own)} | ${asks('shell')} | ${asks('tool')} |`;
    }),
  ].join('\n');
}

/** @param {Hearing[]} own */
function toChannel(own) {
  const [first] = own;
  if (first === undefined || first.given === null) return '**never**';
  if (first.given.turn > 1) return 'with the next prompt';
  return first.given.calls === null ? 'with its first prompt' : 'in its turn';
}
