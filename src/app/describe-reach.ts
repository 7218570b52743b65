import type { Settings } from '../config/index.ts';
import { RALPH, toUsdText } from '../core/index.ts';

/** What the agents of a run can reach, in one sentence for its person; empty where nothing is started that could reach anything. */
export function describeReach({ isSafe, backends, sandbox, spec }: Settings): string {
  const agents = Object.entries(backends).flatMap(([id, specs]) => (specs.some(({ type }) => type !== 'scripted') ? [id] : []));
  if (agents.length === 0) return '';
  const network = sandbox.hasNetwork ? 'the network' : 'no network';
  if (isSafe === true) {
    const { maxCostUsd } = spec.limits;
    const cost = maxCostUsd === null ? 'no limit of cost (--max-cost sets one)' : `at most ${toUsdText(maxCostUsd)}`;
    return `safe: agents and gates write in their worktree only, see nothing of your home but what their CLI signs in with, and reach ${network}; ${cost}`;
  }
  const free = agents.filter((id) => sandbox.hats[id] !== 'required');
  const team = free.filter((id) => id !== RALPH);
  const who =
    free.length === agents.length || team.length === 0 ? 'agents' : `${team.slice(0, 3).join(', ')}${team.length > 3 ? ' and others' : ''}`;
  return `${who} can read and change whatever you can, keys in your home and the network included; --safe holds them`;
}
