import type { Settings } from '../config/settings.ts';
import { type BackendSpec, toBackendLabel } from '../core/backends/backend-spec.ts';
import { isCostUnknown } from '../core/backends/cost-reports.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import type { Environment } from '../core/values/environment.ts';
import { isRalphError, RalphError } from '../core/values/errors.ts';
import { toLayout } from '../runs/layout.ts';
import { captureTrustedPrograms } from '../runs/unconfirmed-programs.ts';
import { toDefined } from '../safety/known-secrets.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import type { Coordination } from '../topology/routing/compile-topology.ts';
import {
  type AgentLook,
  createAgentLook,
  findHatsWithoutAgent,
  type HatsWithoutAgent,
  listAgentsByHat,
  toMissingAgentFix,
  toMissingAgentText,
} from '../validation/check-config.ts';
import { listUncommitted } from '../workspace/snapshot/baseline.ts';

export interface AgentSearchPlace {
  readonly cwd: string;
  readonly env: Environment;
}

/** Hats of whose agents none could begin, and what to do. */
export interface AgentShortage {
  readonly unserved: readonly HatsWithoutAgent[];
  /** Empty where nobody is without. */
  readonly fix: string;
}

/**
 * Looks whether everybody has an agent that could begin: the program of a CLI is there, the native agent has the package and the key of its provider.
 * Nothing is started and nobody is asked.
 */
export async function findAgentShortage(settings: Settings, coordination: Coordination, place: AgentSearchPlace): Promise<AgentShortage> {
  const found = await look(settings, coordination, place);
  return { unserved: found.unserved, fix: found.unserved.length === 0 ? '' : toMissingAgentFix(found.unserved, found.listPresent()) };
}

/**
 * Refuses a run in which somebody has no agent: each of his turns would fail. A list of agents needs one that is there; the others are passed over when
 * their turn comes.
 *
 * @throws RalphError `agent-missing`; `native-key`, `native-packages` where that is all that is missing
 */
export async function requireAgents(settings: Settings, coordination: Coordination, place: AgentSearchPlace): Promise<void> {
  const { unserved, listPresent, native } = await look(settings, coordination, place);
  const [first] = unserved;
  if (first === undefined) return;
  const own = unserved.every(({ missing }) => missing.length === 1) ? native.get(first.missing[0]?.label ?? '') : undefined;
  if (own !== undefined) throw own;
  throw new RalphError({
    code: 'agent-missing',
    what: unserved.map(toMissingAgentText).join('\n'),
    why: 'Each of these turns would fail before it began.',
    fix: `${toMissingAgentFix(unserved, listPresent())}\nWhat is there: ralph doctor`,
    exitCode: 1,
  });
}

interface Looked {
  readonly unserved: readonly HatsWithoutAgent[];
  readonly listPresent: AgentLook['listPresent'];
  /** What keeps native agents from beginning, by their label. */
  readonly native: ReadonlyMap<string, RalphError>;
}

async function look(settings: Settings, coordination: Coordination, { cwd, env }: AgentSearchPlace): Promise<Looked> {
  const agents = await createAgentLook(env, cwd);
  const native = new Map<BackendSpec, RalphError>();
  for (const spec of new Set(listAgentsByHat(settings, coordination).flatMap(([, list]) => list))) {
    const problem = isAsking(spec) ? await findNativeProblem(spec, env) : null;
    if (problem !== null) native.set(spec, problem);
  }
  const find: AgentLook['find'] = (spec, folder, priority) => {
    const problem = native.get(spec);
    return problem === undefined
      ? agents.find(spec, folder, priority)
      : { label: toBackendLabel(spec), problem: problem.message, install: null, fix: null };
  };
  const byLabel = new Map([...native].map(([spec, problem]) => [toBackendLabel(spec), problem]));
  return { unserved: findHatsWithoutAgent(settings, coordination, cwd, { find }), listPresent: agents.listPresent, native: byLabel };
}

type NativeBackendSpec = BackendSpec & { readonly native: NonNullable<BackendSpec['native']> };

/** A script needs no key. */
function isAsking(spec: BackendSpec): spec is NativeBackendSpec {
  return spec.type === 'native' && spec.native !== undefined && spec.native.provider !== 'scripted';
}

async function findNativeProblem(
  { native, model = '', env: own }: NativeBackendSpec,
  env: AgentSearchPlace['env'],
): Promise<RalphError | null> {
  const { createLibraryModel } = await import('../agent/providers/library-model.ts');
  const { provider: kind, baseUrl, apiKeyEnv } = native;
  if (kind === 'scripted') return null;
  const settings = { kind, model, ...(baseUrl === undefined ? {} : { baseUrl }), ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }) };
  try {
    await createLibraryModel(settings, toDefined({ ...env, ...own }));
    return null;
  } catch (error) {
    if (isRalphError(error)) return error;
    throw error;
  }
}

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
 * Looks whether a limit of cost can hold the native agents of a run, those that stand in for others too: Ralph asks their models itself, so it knows
 * before the first call that the cost will be unknown.
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
    why: 'The native agent counts tokens; without a price they have no cost, and the run would continue past the limit.',
    fix: `Say what it costs (US dollars for a million tokens): prices: {"${model}": {input: 1.25, output: 10}}\nor let it work without one: event_loop: {unknown_cost: allow}`,
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
