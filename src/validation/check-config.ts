import { hasErrors, sortDiagnostics } from '../config/findings/diagnostics.ts';
import type { Diagnostic } from '../config/findings/located.ts';
import { type LoadedConfig, type LoadRequest, readConfig } from '../config/load-config.ts';
import type { Settings } from '../config/settings.ts';
import { type BackendSpec, type BackendType, toBackendLabel, toListedBackend } from '../core/backends/backend-spec.ts';
import { RALPH, TOPIC_PANEL_CONFLICT } from '../core/events/reserved.ts';
import type { FlowFinding } from '../core/schema/finding.ts';
import type { Environment } from '../core/values/environment.ts';
import { type Coordination, compileTopology, type Topology } from '../topology/routing/compile-topology.ts';
import { validateTopology } from '../topology/rules/validate-topology.ts';

/** What a configuration is loaded from, and whether a run is to follow. */
export interface CheckRequest extends LoadRequest {
  /** `optional` for commands that look at a configuration without running it. Default: `required`. */
  readonly prompt?: 'required' | 'optional';
  /** Tells which agents are on this machine; absent: nobody looks, because a configuration is right or wrong wherever it is read. */
  readonly agents?: AgentLook;
}

/** A configuration with every finding about it. */
export interface CheckedConfig {
  readonly files: readonly string[];
  /** `null` if and only if one of the diagnostics is an error. */
  readonly settings: Settings | null;
  /** The topology without what is wrong in it; `null` where a file is no YAML at all. */
  readonly topology: Topology | null;
  readonly coordination: Coordination | null;
  /** All of them, sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** The change to a file that a repair of a finding asks for. */
  readonly planEdit: LoadedConfig['planEdit'];
  /** Every setting in force with where it came from; only where `settings` is not `null`. */
  readonly listEffective: LoadedConfig['listEffective'];
}

/**
 * Loads a configuration, compiles its topology and checks both. With `strict_validation: false` errors about the flow of events are warnings.
 *
 * @throws RalphError (exit code 2) as `readConfig` does, and, when there is no error and a prompt is required, for a missing one
 */
export function checkConfig(request: CheckRequest): CheckedConfig {
  const loaded = readConfig(request);
  const { draft, files, planEdit, listEffective } = loaded;
  if (draft === null)
    return { files, settings: null, topology: null, coordination: null, diagnostics: loaded.diagnostics, planEdit, listEffective };
  const topology = compileTopology(draft.spec);
  const findings = validateTopology(topology, { looseTriggers: loaded.looseTriggers });
  const placed = findings.map((finding) => {
    const diagnostic = loaded.toDiagnostic(finding);
    return finding.severity === 'error' && !draft.strictValidation ? { ...diagnostic, severity: 'warning' as const } : diagnostic;
  });
  const missing = request.agents === undefined ? [] : findMissing(draft, topology, request.cwd, request.agents);
  const diagnostics = sortDiagnostics([...loaded.diagnostics, ...placed, ...missing.map(loaded.toDiagnostic)]);
  const isValid = !hasErrors(diagnostics);
  const settings = isValid && request.prompt !== 'optional' ? { ...draft, objective: loaded.requirePrompt().source } : draft;
  return {
    files,
    settings: isValid ? settings : null,
    topology,
    coordination: topology.coordination,
    diagnostics,
    planEdit,
    listEffective,
  };
}

/** A finding for the hats that have no agent on this machine: a run here would be refused. */
function findMissing(settings: Settings, { coordination }: Topology, cwd: string, look: AgentLook): readonly FlowFinding[] {
  const toFinding = (entry: HatsWithoutAgent, why: string): FlowFinding => ({
    code: 'agent-missing',
    severity: 'warning',
    message: toMissingAgentText(entry),
    why,
    fix: toMissingAgentFix([entry], look.listPresent()),
    ...toSubject(entry.hats.filter((hat) => hat !== RALPH)),
  });
  const unserved = findHatsWithoutAgent(settings, coordination, cwd, look);
  const refused = new Set(unserved.flatMap(({ hats }) => hats));
  const find = (spec: BackendSpec): MissingAgent | null => look.find(spec, cwd, settings.priority);
  const panels = listPanels(settings).filter(({ hat }) => !refused.has(hat));
  return [
    ...unserved.map((entry) => toFinding(entry, 'A run on this machine is refused before its first turn.')),
    ...panels.flatMap((panel) =>
      findShortfall(panel, find).map((entry) => toFinding(entry, 'A panel goes on without an agent that cannot be started.')),
    ),
    ...(refused.has(RALPH) ? [] : findUnheardConflicts(settings, panels, find)).map((entry) => ({
      ...toFinding(entry, 'Where the work that won cannot be taken over, or a panel fails, it is his turn: the run would be parked.'),
      severity: 'hint' as const,
    })),
  ];
}

/** Agents of a panel that are not there, where others are: those that lack the same program together. */
function findShortfall({ hat, agents }: WornPanel, find: Find): readonly HatsWithoutAgent[] {
  const groups = new Map<string, { readonly ids: string[]; readonly missing: MissingAgent }>();
  for (const { id, role, spec } of agents) {
    const missing = role === 'ralph' ? null : find(spec);
    if (missing === null) continue;
    const known = groups.get(toAgentText(missing));
    if (known === undefined) groups.set(toAgentText(missing), { ids: [id], missing });
    else known.ids.push(id);
  }
  return [...groups.values()].map(({ ids, missing }) => ({
    hats: [hat],
    missing: [missing],
    what: `${toNames(ids)} of the panel of ${hat} ${ids.length === 1 ? 'has' : 'have'} no installed agent`,
    key: toPanelKey(hat, ids[0], [missing]),
  }));
}

/** Ralph gets the conflicts of panels, and has no agent. */
function findUnheardConflicts(settings: Settings, panels: readonly WornPanel[], find: Find): readonly HatsWithoutAgent[] {
  const hats = panels.filter(({ conflictsTo }) => conflictsTo === RALPH).map(({ hat }) => hat);
  const missing = (settings.backends[RALPH] ?? []).flatMap((spec) => find(spec) ?? []);
  if (hats.length === 0 || missing.length < (settings.backends[RALPH] ?? []).length) return [];
  const what = `Ralph gets the conflicts of the panel of ${toNames(hats)}, and has no installed agent`;
  return [{ hats, missing, what, key: 'cli.backend', more: `or name a hat that gets them: hats.${hats[0]}.panel.conflicts` }];
}

function toSubject(hats: readonly string[]): Pick<FlowFinding, 'hats' | 'at'> {
  const [first] = hats;
  return first === undefined ? { at: { kind: 'hats' } } : { hats, at: { kind: 'hat', hat: first } };
}

export interface MissingAgent {
  readonly label: string;
  /** Why it cannot be started, in words. */
  readonly problem: string;
  /** How to get it, as a command; `null` for a program of the user's own. */
  readonly install: string | null;
  /** What to do about a program of the user's own; `null` for all others. */
  readonly fix: string | null;
}

export interface HatsWithoutAgent {
  /** Ids of hats, and `ralph`; at least one. */
  readonly hats: readonly string[];
  readonly missing: readonly MissingAgent[];
  /** The sentence about it, up to the agents; absent: that these hats have none. */
  readonly what?: string;
  /** Where another one is to be named; absent: where the hats name theirs. */
  readonly key?: string;
  /** What else could be done. */
  readonly more?: string;
}

type Find = (spec: BackendSpec) => MissingAgent | null;

/** A hat that a panel wears, with the declaration of each agent. */
interface WornPanel {
  readonly hat: string;
  readonly agents: readonly { readonly id: string; readonly role?: 'ralph' | 'synthesizer'; readonly spec: BackendSpec }[];
  /** Who gets its conflicts; absent: nobody. */
  readonly conflictsTo?: string;
}

function listPanels({ backends, spec }: Pick<Settings, 'backends' | 'spec'>): readonly WornPanel[] {
  return (spec.hats ?? []).flatMap(({ id: hat, panel, publishes }) => {
    if (panel === undefined) return [];
    const agents = panel.agents.flatMap(({ id, role }, place) => {
      const own = backends[hat]?.[place];
      return own === undefined ? [] : [{ id, spec: own, ...(role !== undefined && { role }) }];
    });
    const conflictsTo = publishes.find(({ topic }) => topic === TOPIC_PANEL_CONFLICT)?.target;
    return [{ hat, agents, ...(conflictsTo != null && { conflictsTo }) }];
  });
}

/** A panel of which nobody could answer, or whose ties Ralph decides who has no agent. */
function findPanelProblems({ hat, agents }: WornPanel, find: Find): readonly HatsWithoutAgent[] {
  const members = agents.filter(({ role }) => role === undefined);
  const missing = members.flatMap(({ spec }) => find(spec) ?? []);
  const judges = agents.flatMap(({ role, spec }) => (role === 'ralph' ? (find(spec) ?? []) : []));
  return [
    ...(missing.length < members.length ? [] : [{ hats: [hat], missing, key: toPanelKey(hat, members[0]?.id, missing) }]),
    ...(judges.length === 0
      ? []
      : [
          {
            hats: [hat],
            missing: judges,
            what: `Ralph chooses where votes of the panel of ${hat} tie (\`tie: ralph\`), and has no installed agent`,
            key: 'cli.backend',
            more: `or let the order of the file decide: hats.${hat}.panel.tie: first`,
          },
        ]),
  ];
}

/** An agent that names no backend has that of its hat. */
function toPanelKey(hat: string, id: string | undefined, missing: readonly MissingAgent[]): string {
  return missing.every(({ label }) => label === 'auto') ? `hats.${hat}.backend` : `backend of ${id} in hats.${hat}.panel.agents`;
}

/** Looks for agents on this machine. It starts nothing. */
export interface AgentLook {
  /**
   * `null` for one that is there, and for our own agent, which needs no program.
   *
   * @param priority which agent CLIs are looked for where none is named
   */
  readonly find: (spec: BackendSpec, cwd: string, priority: readonly BackendType[]) => MissingAgent | null;
  /** The agent CLIs that are there. It looks through PATH for every CLI that is known, so ask only to say what could be taken instead. */
  readonly listPresent: () => readonly BackendType[];
}

/** Looks through the PATH of an environment. The room that knows the CLIs is loaded only when this is called. */
export async function createAgentLook(env: Environment, cwd: string): Promise<AgentLook> {
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
      const { reason: problem, advice: fix } = found.refused;
      return spec.command === undefined
        ? { label, problem, install: descriptor?.install ?? null, fix: null }
        : { label, problem, install: null, fix };
    },
  };
}

/** Everybody who takes turns, with the agents of each. Where hats coordinate, Ralph only steps in for them: a run may begin without an agent for him. */
export function listAgentsByHat(
  settings: Pick<Settings, 'backends' | 'spec'>,
  coordination: Coordination,
): readonly (readonly [string, readonly BackendSpec[]])[] {
  const { backends, spec } = settings;
  const hats = (spec.hats ?? []).map(({ id }) => id);
  const isClassic = spec.mode === 'single';
  const takers = coordination === 'hats' && !isClassic && hats.length > 0 ? hats : [RALPH, ...hats];
  return takers.map((hat) => [hat, backends[hat] ?? backends[RALPH] ?? []] as const);
}

/** The hats that cannot run here: of a list of agents one is enough, and of theirs none is there. */
export function findHatsWithoutAgent(
  settings: Pick<Settings, 'backends' | 'spec' | 'priority'>,
  coordination: Coordination,
  cwd: string,
  look: Pick<AgentLook, 'find'>,
): readonly HatsWithoutAgent[] {
  const byAgents = new Map<string, { readonly hats: string[]; readonly missing: readonly MissingAgent[] }>();
  const known = new Map<string, MissingAgent | null>();
  // Ten thousand hats with the same agent ask for it once.
  const find = (spec: BackendSpec): MissingAgent | null => {
    const text = JSON.stringify(spec);
    const found = known.has(text) ? (known.get(text) ?? null) : look.find(spec, cwd, settings.priority);
    known.set(text, found);
    return found;
  };
  const panels = new Map(listPanels(settings).map((panel) => [panel.hat, panel]));
  const problems: HatsWithoutAgent[] = [];
  for (const [hat, list] of listAgentsByHat(settings, coordination)) {
    const panel = panels.get(hat);
    if (panel !== undefined) {
      problems.push(...findPanelProblems(panel, find));
      continue;
    }
    const missing = list.flatMap((spec) => find(spec) ?? []);
    if (list.length === 0 || missing.length < list.length) continue;
    const key = JSON.stringify(missing);
    const others = byAgents.get(key);
    if (others === undefined) byAgents.set(key, { hats: [hat], missing });
    else others.hats.push(hat);
  }
  return [...byAgents.values(), ...problems];
}

const MAX_NAMES = 6;

/** `reviewer has no installed agent: codex ("codex" was not found in PATH; …).` */
export function toMissingAgentText({ hats, missing, what }: HatsWithoutAgent): string {
  const agents = [...new Set(missing.map(toAgentText))].join(', ');
  return `${what ?? `${toNames(hats)} ${hats.length === 1 ? 'has' : 'have'} no installed agent`}: ${agents}.`;
}

function toAgentText({ label, problem }: MissingAgent): string {
  return `${label} (${problem})`;
}

function toNames(ids: readonly string[]): string {
  const names = ids.length > MAX_NAMES ? [...ids.slice(0, MAX_NAMES), `${ids.length - MAX_NAMES} more`] : ids;
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** What to do about missing agents: mend a program of the user's own; install the others, or take one that is there. */
export function toMissingAgentFix(unserved: readonly HatsWithoutAgent[], present: readonly BackendType[]): string {
  const installs = [...new Set(unserved.flatMap(({ missing }) => missing.flatMap(({ install }) => install ?? [])))];
  const own = [...new Set(unserved.flatMap(({ missing }) => missing.flatMap(({ fix }) => fix ?? [])))];
  if (unserved.every(({ missing }) => missing.every(({ fix }) => fix !== null))) return own.join('\n');
  const hats = unserved.flatMap((entry) => entry.hats);
  const [only] = unserved.length === 1 ? unserved : [];
  const key = only?.key ?? (hats.length === 1 && hats[0] !== RALPH ? `hats.${hats[0]}.backend` : 'cli.backend');
  return [
    ...own,
    ...installs.map((install) => `Install it: ${install}`),
    present.length > 0
      ? `${installs.length > 0 ? 'or take' : 'Take'} an agent that is there (${present.join(', ')}): ${key}: ${present[0]}`
      : `No agent CLI is there. A program of your own is one, too: ${key}: {command: ./agent.sh}`,
    ...unserved.flatMap(({ more }) => more ?? []),
  ].join('\n');
}
