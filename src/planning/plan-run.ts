import { firstAvailable } from '../backends/clis.ts';
import { toLabel } from '../config/compile/compile-backends.ts';
import { renderDiagnostics, toExplainHint } from '../config/findings/diagnostics.ts';
import type { Diagnostic } from '../config/findings/located.ts';
import type { Settings } from '../config/settings.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import { RALPH } from '../core/events/reserved.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import { listPluginTools } from '../core/tools/plugin-tool.ts';
import { RalphError } from '../core/values/errors.ts';
import { toIdleGlobWarnings } from '../gates/idle-globs.ts';
import { withPluginFiles } from '../plugins/plugin-files.ts';
import type { Isolation } from '../ports/program.ts';
import { type SoughtGate, toMissingWarnings, withFoundChecks, withFoundGate } from '../project/find-checks.ts';
import { isTemplate } from '../project/init-project.ts';
import { buildPrompt, planSections } from '../prompts/build-prompt.ts';
import type { PromptTurn } from '../prompts/prompt-context.ts';
import { toLayout } from '../runs/layout.ts';
import { withoutToken } from '../runs/people.ts';
import type { RunRequest } from '../runs/run-api.ts';
import { toUnconfirmedWarnings } from '../runs/unconfirmed-programs.ts';
import { findRunIsolation, type RunIsolation } from '../safety/run-isolation.ts';
import { requireSafety, toWithheldWarnings } from '../safety/safe-runs.ts';
import { compileTopology, type Topology } from '../topology/routing/compile-topology.ts';
import { planFirstTurn, toPromptOptions } from '../turns/hat-facts.ts';
import { toProbeWarnings, toScopeWarnings } from '../turns/scopes/describe-scopes.ts';
import { checkConfig, toMissingAgentText } from '../validation/check-config.ts';
import { findAgentShortage, requireAgents, requireKnownCost, toCostWarnings, toTakenAlongWarnings } from './run-conditions.ts';

/** A run that could be started: checked and compiled, nothing written yet. */
export interface RunPlan {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly topology: Topology;
  /** Warnings, hints and notes; no errors. */
  readonly diagnostics: readonly Diagnostic[];
  /** What else a person should know before it starts. */
  readonly warnings: readonly string[];
  /** The namespaces of its programs; `null`: none. */
  readonly isolation: Isolation | null;
  /** What the first agent will be asked. */
  readonly firstPrompt: () => string;
  /** The part of it that Ralph adds to the user's own words, names and topics. */
  readonly ownWords: () => string;
}

/**
 * Reads and checks everything that a run needs.
 *
 * @throws RalphError: `config-invalid` with every finding; `agent-missing`; `isolation-required`; `native-key`; `native-packages`; `plugin-file`; `profile-disproved`; `no-agent-found` when no backend is named and none is installed; what reading files throws
 */
export async function planStart(given: RunRequest): Promise<RunPlan> {
  const request = { ...given, env: withoutToken(given.env) };
  const { settings, diagnostics } = checkConfig({ ...request, toolNames: listPluginTools().map((tool) => tool.name) });
  if (settings === null) throw toInvalid(diagnostics);
  const asked = request.hat === undefined ? settings : { ...settings, spec: narrowSpec(settings.spec, request.hat) };
  const sought = seekGate(withFoundChecks(withFoundBackends(asked, request), request.cwd), request);
  const checked = sought.settings;
  const found = request.isDry === true ? checked : withPluginFiles(checked, request.cwd);
  const topology = compileTopology(found.spec);
  const { isolation, warnings } = request.isDry === true ? NOT_TRIED : await requireStartable(found, topology, request);
  return {
    request,
    settings: found,
    topology,
    diagnostics,
    isolation,
    warnings: [
      ...warnings,
      ...(found.worksIn === 'worktree' && request.goesOnIn === undefined
        ? await toTakenAlongWarnings(found, request.cwd, request.env)
        : []),
      ...toMissingWarnings(sought, request),
      ...(request.isDry === true ? await tellShortage(found, topology, request) : []),
      ...(request.isDry === true ? [] : await toIdleGlobWarnings(found.spec.gates, request.cwd)),
      // What agents of workers have in their environment is theirs.
      ...(request.isElsewhere === true ? [] : toWithheldWarnings(found, request.env)),
      ...toCostWarnings(found, diagnostics.some((entry) => entry.code === 'cost-unknown') ? settings : null),
      ...(await toUnconfirmedWarnings(toLayout(request.cwd, found.stateDir), request)),
      ...(request.isDry === true ? [] : await toProbeWarnings(found, request.cwd, request.env)),
      ...(request.isDry === true ? [] : await toScopeWarnings(found, request.cwd, request.env)),
    ],
    ...planFirstWords(found, topology, request),
  };
}

/** One turn of one hat completes nothing: no gate is looked for, and none runs before it. */
function seekGate(settings: Settings, request: RunRequest): SoughtGate {
  if (request.hat === undefined) return withFoundGate(settings, request);
  const gates = settings.spec.gates.map(({ baseline: _, ...gate }) => gate);
  return { settings: { ...settings, spec: { ...settings.spec, gates } }, missing: null };
}

/** A run builds its prompts itself: these are made when somebody wants to see them. */
function planFirstWords(settings: Settings, topology: Topology, request: RunRequest): Pick<RunPlan, 'firstPrompt' | 'ownWords'> {
  const prompts = toPromptOptions(settings, worksInWorktree(settings, request));
  const turn = (): PromptTurn | null => planFirstTurn(settings, topology, request);
  return {
    firstPrompt: () => {
      const first = turn();
      return first === null ? '' : buildPrompt(topology, first, prompts);
    },
    ownWords: () => {
      const first = turn();
      const sections = first === null ? [] : planSections(topology, first, prompts);
      return sections.flatMap((section) => (section.own ? section.text : [])).join('');
    },
  };
}

function worksInWorktree({ worksIn }: Settings, { goesOnIn }: RunRequest): boolean {
  return goesOnIn === undefined ? worksIn === 'worktree' : goesOnIn !== null;
}

/** Nobody is to pay for a task that is only a form. */
function requireOwnTask({ spec, objective }: Settings): void {
  const { file } = objective;
  if (file === null || !isTemplate(spec.objective)) return;
  throw new RalphError({
    code: 'prompt-untouched',
    what: `${file} is still the form that \`ralph init\` wrote: it says nothing of what is to be done.`,
    why: 'An agent would be paid for guessing.',
    fix: `Fill in ${file}, or say the task on the command line: ralph run -p "…"`,
    exitCode: 2,
  });
}

/** What would keep the run from beginning. While a trial in a namespace runs, agents are looked for. */
async function requireStartable(settings: Settings, { coordination }: Topology, request: RunRequest): Promise<RunIsolation> {
  requireOwnTask(settings);
  requireKnownCost(settings);
  await requireSafety(settings, request.cwd, request.env);
  const agents = request.isElsewhere === true ? null : requireAgents(settings, coordination, request);
  const [isolation] = await Promise.all([findRunIsolation(settings), agents]);
  return isolation;
}

const NOT_TRIED: RunIsolation = { isolation: null, warnings: [] };

/** What would refuse the run that is only planned. */
async function tellShortage(settings: Settings, { coordination }: Topology, request: RunRequest): Promise<readonly string[]> {
  const { unserved, fix } = await findAgentShortage(settings, coordination, request);
  return unserved.length === 0
    ? []
    : [`This run would be refused: ${unserved.map(toMissingAgentText).join(' ')} ${fix.replaceAll('\n', '; ')}`];
}

function toInvalid(diagnostics: readonly Diagnostic[]): RalphError {
  // The place of an assignment is the option as it was typed: no file is to be changed for it.
  const isTyped = diagnostics.every(({ severity, file }) => severity !== 'error' || file.startsWith('-c '));
  const advice = isTyped ? 'Correct the command line.' : 'Check again: ralph validate';
  return new RalphError({
    code: 'config-invalid',
    what: 'The configuration cannot be run.',
    fix: `${renderDiagnostics(diagnostics)}\n\n${advice}\n${toExplainHint(diagnostics)}`,
    exitCode: 1,
  });
}

/**
 * Puts the first agent that is installed in the place of every `auto`. Under `hats` Ralph is only the safety net: a team whose hats all name
 * their backends starts without one for him. Where turns are taken elsewhere, what was found as the run began stays.
 */
function withFoundBackends(settings: Settings, request: RunRequest): Settings {
  const open = Object.keys(settings.backends).filter((hat) => settings.backends[hat]?.some((spec) => spec.type === 'auto'));
  if (open.length === 0) return settings;
  // Of a panel one agent may be enough: whether it lacks those that it needs is looked at for each.
  const panels = (settings.spec.hats ?? []).flatMap(({ id, panel }) => (panel === undefined ? [] : [id]));
  const isSafetyNet = compileTopology(settings.spec).coordination === 'hats' && open.every((hat) => hat === RALPH || panels.includes(hat));
  const ofStart = (hat: string, index: number): BackendSpec['type'] | undefined => request.agentsOfStart?.[hat]?.[index]?.type;
  const isKnown = open.every((hat) => settings.backends[hat]?.every(({ type }, index) => type !== 'auto' || ofStart(hat, index)));
  const found = isKnown ? null : findAgent(settings, request, request.isDry === true || isSafetyNet);
  const fill = (hat: string, list: readonly BackendSpec[]): readonly BackendSpec[] =>
    list.map((spec, index) => (spec.type === 'auto' ? { ...spec, type: ofStart(hat, index) ?? found ?? 'auto' } : spec));
  const backends = Object.fromEntries(Object.entries(settings.backends).map(([hat, list]) => [hat, fill(hat, list)]));
  return { ...settings, backends, spec: withLabels(settings, backends) };
}

function findAgent(settings: Settings, { env, isElsewhere }: RunRequest, isOptional: boolean): BackendSpec['type'] | null {
  try {
    return firstAvailable(settings.priority, env['PATH']);
  } catch (error) {
    if (isOptional) return null;
    throw isElsewhere === true ? toNoAgentNamedError() : error;
  }
}

function toNoAgentNamedError(): RalphError {
  return new RalphError({
    code: 'no-agent-found',
    what: 'No agent is named, and none is installed here whose name the workers could be asked for.',
    why: 'A turn goes to a worker that has its agent.',
    fix: 'Name one that they have: `cli: {backend: claude}`, or `--backend claude`; if Ralph coordinates the hats, Ralph takes that one. What they have: ralph fleet',
    exitCode: 2,
  });
}

function withLabels(settings: Settings, backends: Settings['backends']): Settings['spec'] {
  const { spec } = settings;
  const labels = (hat: string): readonly string[] => (backends[hat] ?? backends[RALPH] ?? []).map(toLabel);
  const hats = spec.hats === null ? null : spec.hats.map((hat) => ({ ...hat, backends: labels(hat.id) }));
  return { ...spec, hats, ralph: { ...spec.ralph, backends: labels(RALPH) } };
}

/**
 * The same declaration, narrowed to one turn of one hat (`--hat H --once`).
 *
 * @throws RalphError `hat-not-there`
 */
export function narrowSpec(spec: RunSpec, hat: string): RunSpec {
  const known = (spec.hats ?? []).map(({ id }) => id);
  const limits = { ...spec.limits, maxIterations: 1 };
  if (hat === RALPH) return { ...spec, limits, startingHat: null, startingEvent: null };
  if (known.includes(hat)) return { ...spec, limits, startingHat: hat, startingEvent: null, coordinator: 'hats' };
  throw new RalphError({
    code: 'hat-not-there',
    what: `There is no hat ${JSON.stringify(hat.slice(0, 80))}.`,
    fix: known.length === 0 ? 'The configuration has no hats.' : `Hats: ${known.join(', ')}.`,
    exitCode: 2,
  });
}
