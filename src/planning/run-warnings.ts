import type { Settings } from '../config/index.ts';
import { isCostUnknown, maskControls, RalphError } from '../core/index.ts';
import { captureTrustedPrograms, toLayout } from '../runs/index.ts';
import { type Environment, toStateDirs } from '../safety/index.ts';
import { listUncommitted } from '../workspace/index.ts';

/**
 * Says which agents a limit of cost cannot hold, as far as the check of the configuration could not: where the limit was given
 * on the command line, or the agent was only found now. `told`: the settings about which it has said so.
 */
export function toCostWarnings(settings: Settings, told: Settings | null): readonly string[] {
  if (settings.spec.limits.maxCostUsd === null) return [];
  const known = new Set(told === null ? [] : listBlind(told));
  const blind = listBlind(settings).filter((name) => !known.has(name));
  if (blind.length === 0) return [];
  return [
    `max_cost_usd cannot hold ${blind.join(', ')}: its cost is not known to Ralph. A price under \`prices\` helps where it tells its tokens.`,
  ];
}

function listBlind({ backends, prices }: Settings): readonly string[] {
  const blind = Object.values(backends)
    .flat()
    .filter((spec) => isCostUnknown(spec, Object.keys(prices)));
  return [...new Set(blind.map((spec) => spec.command ?? spec.type))];
}

/**
 * Looks whether a limit of cost can hold the native agents of a run, those that stand in for others too: Ralph asks their models himself, so he knows
 * before the first call that he will not know what it costs.
 *
 * @throws RalphError `native-cost` (exit code 1)
 */
export function requireKnownCost({ backends, prices, spec, allowsUnknownCost }: Settings): void {
  if (allowsUnknownCost) return;
  for (const agent of Object.values(backends).flat()) {
    const { native } = agent;
    if (native === undefined || native.provider === 'scripted') continue;
    if (spec.limits.maxCostUsd === null && native.maxCostUsd === null) continue;
    if (isCostUnknown(agent, Object.keys(prices))) throw toUnknownCost(agent.model ?? 'model-name', native.provider);
  }
}

function toUnknownCost(model: string, provider: string): RalphError {
  return new RalphError({
    code: 'native-cost',
    what: `What ${model} of ${provider} costs is not known, so the limit of cost cannot hold it.`,
    why: 'The native agent counts tokens; without a price no money can be made of them, and the run would go on past the limit.',
    fix: `Say what it costs (US dollars for a million tokens): prices: {"${model}": {input: 1.25, output: 10}}\nor let it work without: event_loop: {unknown_cost: allow}`,
    exitCode: 1,
  });
}

const SHOWN = 3;

/** What a person should know before a run begins in a worktree: which changes of theirs it takes along, and leaves uncommitted. No sentence where there are none. */
export async function toTakenAlongWarnings(settings: Settings, cwd: string, env: Environment): Promise<readonly string[]> {
  const programs = await captureTrustedPrograms(toLayout(cwd, settings.stateDir), { cwd, env });
  const uncommitted = await listUncommitted({ cwd, env, stateDirs: toStateDirs(settings), programs });
  // What Ralph itself reads here counts in the worktree too.
  const read = new Set([...settings.configFiles, settings.objective.file]);
  const paths = uncommitted.filter((path) => !read.has(path));
  if (paths.length === 0) return [];
  const [count, come, stay, them] =
    paths.length === 1 ? ['1 file', 'comes', 'stays', 'it'] : [`${paths.length} files`, 'come', 'stay', 'them'];
  const more = paths.length > SHOWN ? `, and ${paths.length - SHOWN} more` : '';
  const names = paths
    .slice(0, SHOWN)
    .map((path) => maskControls(path))
    .join(', ');
  return [
    `${count} with changes of yours that are not committed ${come} along into the worktree, and ${stay} out of its commits, whatever an agent changes in ${them} (${names}${more}).`,
  ];
}
