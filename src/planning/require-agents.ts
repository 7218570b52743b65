import type { Settings } from '../config/index.ts';
import { type BackendSpec, isRalphError, RalphError, toBackendLabel } from '../core/index.ts';
import { type Environment, toDefined } from '../safety/index.ts';
import type { Coordination } from '../topology/index.ts';
import {
  type AgentLook,
  createAgentLook,
  findUnserved,
  listWearers,
  toUnservedFix,
  toUnservedText,
  type UnservedHats,
} from '../validation/index.ts';

/** Where agents are looked for. */
export interface AgentPlace {
  readonly cwd: string;
  readonly env: Environment;
}

/** Hats of whose agents none could begin, and what to do. */
export interface AgentShortage {
  readonly unserved: readonly UnservedHats[];
  /** Empty where nobody is without. */
  readonly fix: string;
}

/**
 * Looks whether everybody has an agent that could begin: the program of a CLI is there, the native agent has the package and the key of its provider.
 * Nothing is started and nobody is asked.
 */
export async function findAgentShortage(settings: Settings, coordination: Coordination, place: AgentPlace): Promise<AgentShortage> {
  const found = await look(settings, coordination, place);
  return { unserved: found.unserved, fix: found.unserved.length === 0 ? '' : toUnservedFix(found.unserved, found.listPresent()) };
}

/**
 * Refuses a run in which somebody has no agent: each of his turns would fail. A list of agents needs one that is there; the others are passed over when
 * their turn comes.
 *
 * @throws RalphError `agent-missing`; `native-key`, `native-packages` where that is all that is missing
 */
export async function requireAgents(settings: Settings, coordination: Coordination, place: AgentPlace): Promise<void> {
  const { unserved, listPresent, native } = await look(settings, coordination, place);
  const [first] = unserved;
  if (first === undefined) return;
  const own = unserved.every(({ missing }) => missing.length === 1) ? native.get(first.missing[0]?.label ?? '') : undefined;
  if (own !== undefined) throw own;
  throw new RalphError({
    code: 'agent-missing',
    what: unserved.map(toUnservedText).join('\n'),
    why: 'Each of these turns would fail before it began.',
    fix: `${toUnservedFix(unserved, listPresent())}\nWhat is there: ralph doctor`,
    exitCode: 1,
  });
}

interface Looked {
  readonly unserved: readonly UnservedHats[];
  readonly listPresent: AgentLook['listPresent'];
  /** What keeps native agents from beginning, by their label. */
  readonly native: ReadonlyMap<string, RalphError>;
}

async function look(settings: Settings, coordination: Coordination, { cwd, env }: AgentPlace): Promise<Looked> {
  const agents = await createAgentLook(env, cwd);
  const native = new Map<BackendSpec, RalphError>();
  for (const spec of new Set(listWearers(settings, coordination).flatMap(([, list]) => list))) {
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
  return { unserved: findUnserved(settings, coordination, cwd, { find }), listPresent: agents.listPresent, native: byLabel };
}

type Asking = BackendSpec & { readonly native: NonNullable<BackendSpec['native']> };

/** A script needs no key. */
function isAsking(spec: BackendSpec): spec is Asking {
  return spec.type === 'native' && spec.native !== undefined && spec.native.provider !== 'scripted';
}

async function findNativeProblem({ native, model = '', env: own }: Asking, env: AgentPlace['env']): Promise<RalphError | null> {
  const { createLibraryModel } = await import('../agent/index.ts');
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
