import type { Settings } from '../config/index.ts';
import { type BackendSpec, type BackendType, RALPH, toBackendLabel, toListedBackend } from '../core/index.ts';
import type { Coordination } from '../topology/index.ts';

/** An agent that is not on this machine. */
export interface MissingAgent {
  readonly label: string;
  /** Why it cannot be started, in words. */
  readonly problem: string;
  /** How to get it, as a command; `null` for a program of the user's own. */
  readonly install: string | null;
  /** What to do about a program of the user's own; `null` for all others. */
  readonly fix: string | null;
}

/** Those who have the same agents, of whom none is there. */
export interface UnservedHats {
  /** Ids of hats, and `ralph`; at least one. */
  readonly hats: readonly string[];
  readonly missing: readonly MissingAgent[];
}

/** Looks for agents on this machine. Nothing is started. */
export interface AgentLook {
  /**
   * `null` for one that is there, and for our own agent, which needs no program.
   *
   * @param priority which agent CLIs are looked for where none is named
   */
  readonly find: (spec: BackendSpec, cwd: string, priority: readonly BackendType[]) => MissingAgent | null;
  /** The agent CLIs that are there. Looks through PATH for each that is known: only for words about one that is missing. */
  readonly listPresent: () => readonly BackendType[];
}

/** Makes a look with this environment's PATH. The room that knows the CLIs is loaded only then. */
export async function createAgentLook(env: Readonly<Record<string, string | undefined>>, cwd: string): Promise<AgentLook> {
  const { findCommand, listAvailable, listBackends } = await import('../backends/index.ts');
  const known = listBackends();
  return {
    listPresent: () => listAvailable(env['PATH'], cwd),
    find: (spec, folder, priority) => {
      if (spec.type === 'native' || spec.type === 'scripted') return null;
      const label = toBackendLabel(spec);
      if (spec.type === 'auto') {
        const wanted = known.filter(({ type }) => priority.includes(type));
        if (wanted.some(({ command }) => findCommand(command, folder, env['PATH']).ok)) return null;
        const install = known.find(({ type }) => type === priority[0])?.install ?? null;
        return { label, problem: `none of ${priority.map(toListedBackend).join(', ')} was found in PATH`, install, fix: null };
      }
      const descriptor = known.find(({ type }) => type === spec.type);
      const found = findCommand(spec.command ?? descriptor?.command ?? '', folder, spec.env['PATH'] ?? env['PATH']);
      if (found.ok) return null;
      const { reason: problem, advice } = found.refused;
      return spec.command === undefined
        ? { label, problem, install: descriptor?.install ?? null, fix: null }
        : { label, problem, install: null, fix: advice };
    },
  };
}

/**
 * Everybody who takes turns, with his list of agents. Under `hats` Ralph is only the safety net: a run may begin without his.
 */
export function listWearers(
  settings: Pick<Settings, 'backends' | 'spec'>,
  coordination: Coordination,
): readonly (readonly [string, readonly BackendSpec[]])[] {
  const { backends, spec } = settings;
  const hats = (spec.hats ?? []).map(({ id }) => id);
  const isClassic = spec.mode === 'single';
  const wearers = coordination === 'hats' && !isClassic && hats.length > 0 ? hats : [RALPH, ...hats];
  return wearers.map((hat) => [hat, backends[hat] ?? backends[RALPH] ?? []] as const);
}

/** Those of whose agents none is there: a list of agents needs one. */
export function findUnserved(
  settings: Pick<Settings, 'backends' | 'spec' | 'priority'>,
  coordination: Coordination,
  cwd: string,
  look: Pick<AgentLook, 'find'>,
): readonly UnservedHats[] {
  const byAgents = new Map<string, { readonly hats: string[]; readonly missing: readonly MissingAgent[] }>();
  const known = new Map<string, MissingAgent | null>();
  // Ten thousand hats with the same agent ask for it once.
  const find = (spec: BackendSpec): MissingAgent | null => {
    const text = JSON.stringify(spec);
    const found = known.has(text) ? (known.get(text) ?? null) : look.find(spec, cwd, settings.priority);
    known.set(text, found);
    return found;
  };
  for (const [hat, list] of listWearers(settings, coordination)) {
    const missing = list.flatMap((spec) => find(spec) ?? []);
    if (list.length === 0 || missing.length < list.length) continue;
    const key = JSON.stringify(missing);
    const others = byAgents.get(key);
    if (others === undefined) byAgents.set(key, { hats: [hat], missing });
    else others.hats.push(hat);
  }
  return [...byAgents.values()];
}

const MAX_NAMES = 6;

/** `reviewer has no installed agent: codex ("codex" was not found in PATH; …).` */
export function toUnservedText({ hats, missing }: UnservedHats): string {
  const names = hats.length > MAX_NAMES ? [...hats.slice(0, MAX_NAMES), `${hats.length - MAX_NAMES} more`] : hats;
  const who = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const agents = missing.map(({ label, problem }) => `${label} (${problem})`).join(', ');
  return `${who} ${hats.length === 1 ? 'has' : 'have'} no installed agent: ${agents}.`;
}

/** What to do about missing agents: mend a program of the user's own; install the others, or take one that is there. */
export function toUnservedFix(unserved: readonly UnservedHats[], present: readonly BackendType[]): string {
  const installs = [...new Set(unserved.flatMap(({ missing }) => missing.flatMap(({ install }) => install ?? [])))];
  const own = [...new Set(unserved.flatMap(({ missing }) => missing.flatMap(({ fix }) => fix ?? [])))];
  if (unserved.every(({ missing }) => missing.every(({ fix }) => fix !== null))) return own.join('\n');
  const hats = unserved.flatMap((entry) => entry.hats);
  const key = hats.length === 1 && hats[0] !== RALPH ? `hats.${hats[0]}.backend` : 'cli.backend';
  return [
    ...own,
    ...installs.map((install) => `Install it: ${install}`),
    present.length > 0
      ? `${installs.length > 0 ? 'or take' : 'Take'} an agent that is there (${present.join(', ')}): ${key}: ${present[0]}`
      : `No agent CLI is there. A program of your own is one, too: ${key}: {command: ./agent.sh}`,
  ].join('\n');
}
