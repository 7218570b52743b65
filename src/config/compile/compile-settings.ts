import type { BackendSpec } from '../../core/backends/backend-spec.ts';
import { DEFAULT_HAT, RALPH } from '../../core/events/reserved.ts';
import type { HookEventName } from '../../core/hooks/hook-moments.ts';
import type { EventContracts, HatSpec, RetrySpec, RunSpec } from '../../core/run/run-spec.ts';
import { BUILT_IN_PROFILES } from '../../core/tools/tool-profiles.ts';
import { type Json, mapTexts } from '../../core/values/json.ts';
import { EVENT_LOOP_KEYS } from '../keys/event-loop-keys.ts';
import { HUMAN_KEYS, SANDBOX_KEYS } from '../keys/sandbox-keys.ts';
import type { EffectiveOf } from '../keys/setting.ts';
import { toEffective } from '../keys/setting-values.ts';
import { CLI_KEYS, CORE_KEYS, type Declared, HOOKS_DEFAULTS_KEYS, triggersOf, WORKTREE_KEYS } from '../keys/settings-table.ts';
import {
  type ConfigFlags,
  DEFAULT_HUMAN,
  DEFAULT_NEWS,
  type ModelPrice,
  type Objective,
  type Overrides,
  type SandboxRules,
  type Settings,
  type SettingsDigest,
} from '../settings.ts';
import {
  backendsOf,
  type CompiledBackends,
  compileParallel,
  findAgentProfile,
  findAloneCause,
  findProfileName,
  mayWorkInCopies,
  type PlacedBackend,
  toBackendSpec,
  toLabel,
} from './compile-backends.ts';
import { compileGates } from './compile-gates.ts';
import { compilePanel, toPanelEvents } from './compile-panel.ts';
import { compileMcpServers, compileTools } from './compile-tools.ts';
import { createPolicyFinder } from './create-policy-finder.ts';
import { toDigest } from './digest.ts';
import { type CompiledHooks, toHookListName } from './read-hooks.ts';
import type { Instructions } from './read-named-files.ts';

interface SettingsParts {
  /** The workspace, absolute. */
  readonly cwd: string;
  readonly configFiles: readonly string[];
  readonly flags: ConfigFlags;
  readonly hatsOverlay: string | undefined;
  readonly assignments: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly declared: Declared;
  /** Ids under `hats:` in the order of the file; `null` without such a key. */
  readonly hatIds: readonly string[] | null;
  readonly overrides: Overrides;
  readonly backends: CompiledBackends;
  readonly instructions: Instructions;
  readonly events: EventContracts;
  readonly hooks: Pick<CompiledHooks, 'hooks' | 'ofBackends' | 'ofRun'>;
  readonly permissions: NonNullable<Settings['permissions']>;
  readonly objective: Objective;
}

function compileRunsOn({ hats = {} }: Declared): Pick<Settings, 'runsOn'> {
  const named = Object.entries(hats).flatMap(([id, { runs_on: labels = [] }]) => (labels.length === 0 ? [] : [[id, labels] as const]));
  return named.length === 0 ? {} : { runsOn: Object.fromEntries(named) };
}

function compileHuman(declared: Declared['human']): Pick<Settings, 'human'> {
  const { ask, deadline: deadlineMs } = toEffective(HUMAN_KEYS, declared);
  return ask === DEFAULT_HUMAN.ask && deadlineMs === DEFAULT_HUMAN.deadlineMs ? {} : { human: { ask, deadlineMs } };
}

/** The settings of the loop with the defaults and the command line in place. */
type EffectiveLoop = EffectiveOf<typeof EVENT_LOOP_KEYS>;

const BYTES_PER_MB = 1_000_000;

/** Compiles a checked configuration: every default filled in, every name resolved, plain JSON. */
export function compileSettings(parts: SettingsParts): Settings {
  const { declared, objective } = parts;
  const loop = toLoop(declared, parts.overrides);
  const core = toEffective(CORE_KEYS, declared.core);
  let digest: SettingsDigest | undefined;
  return {
    version: 1,
    configFiles: parts.configFiles,
    flags: parts.flags,
    ...(parts.hatsOverlay === undefined ? {} : { hatsOverlay: parts.hatsOverlay }),
    ...(parts.assignments.length === 0 ? {} : { assignments: parts.assignments }),
    ...(Object.keys(parts.variables).length === 0 ? {} : { variables: parts.variables }),
    spec: toRunSpec(parts, loop),
    backends: toBackends(parts),
    ...compileProfiles(declared, parts.hatIds ?? [], parts.backends),
    mcpServers: compileMcpServers(declared),
    tools: compileTools(declared),
    ...toHookSettings(parts),
    ...compileRunsOn(declared),
    sandbox: compileSandbox(parts),
    externalEvents: declared.external_events ?? 'open',
    ...compileHuman(declared.human),
    isolation: declared.isolation ?? 'auto',
    watchesLimits: declared.limits?.watch !== 'off',
    priority: toEffective(CLI_KEYS, declared.cli).priority,
    emitTool: toEffective(CLI_KEYS, declared.cli).emit_tool,
    objective: objective.source,
    prompts: {
      scratchpad: core.scratchpad,
      eventsFile: core.events_file,
      specsDir: core.specs_dir,
      workspaceDir: '.agent/workspace/',
      promptFile: objective.source.file,
      guardrails: core.guardrails ?? null,
    },
    stateDir: core.state_dir,
    checkpointBranch: loop.checkpoint_branch ?? null,
    ...(loop.agent_commits === 'always' ? {} : { agentCommits: loop.agent_commits }),
    gatesAtOnce: loop.gates_at_once,
    ...(declared.gates === undefined && parts.flags.noGates !== true && { seeksGate: true as const }),
    ...(declared.gate_baseline !== undefined && { gateBaseline: declared.gate_baseline }),
    ...(declared.changed_tests === 'allow' && { mayChangeTests: true as const }),
    ...compileNotify(declared.notify),
    ...toWorkspace(declared),
    worktreeLinks: toEffective(WORKTREE_KEYS, declared.worktree).link,
    prices: toPrices(declared),
    allowsUnknownCost: loop.unknown_cost === 'allow',
    turnLogCapBytes: Math.max(1, Math.round(core.turn_log_mb * BYTES_PER_MB)),
    strictValidation: loop.strict_validation,
    // Made when it is first read: a check never compares configurations, and for a large one it takes long.
    get digest() {
      digest ??= toDigest(toDigested(parts, loop), objective.text, parts.variables);
      return digest;
    },
  };
}

function toHookSettings({ declared, hooks, permissions }: SettingsParts) {
  return {
    ...(Object.keys(hooks.hooks).length === 0 ? {} : { hooks: hooks.hooks }),
    ...(Object.keys(hooks.ofBackends).length === 0 ? {} : { backendHooks: hooks.ofBackends }),
    ...(hooks.ofRun.length === 0 ? {} : { runHooks: hooks.ofRun }),
    ...(toEffective(HOOKS_DEFAULTS_KEYS, declared.hooks_defaults).tool_result === 'json' ? { noteForm: 'json' as const } : {}),
    ...(Object.keys(permissions).length === 0 ? {} : { permissions }),
  };
}

/** A safe run has a worktree of its own; where the configuration says otherwise, the run is refused when it is planned. */
function toWorkspace({ workspace, safe = false }: Declared): Pick<Settings, 'worksIn' | 'isSafe'> {
  const isApart = (workspace ?? (safe ? 'worktree' : 'in_place')) === 'worktree';
  return { ...(isApart ? { worksIn: 'worktree' } : {}), ...(safe ? { isSafe: true } : {}) };
}

/** `event_loop:` with the defaults; the command line wins. */
function toLoop(declared: Declared, { maxIterations, maxCostUsd, maxRuntime }: Overrides): EffectiveLoop {
  const loop = toEffective(EVENT_LOOP_KEYS, declared.event_loop);
  return {
    ...loop,
    ...(maxIterations === undefined ? {} : { max_iterations: maxIterations }),
    ...(maxCostUsd === undefined ? {} : { max_cost_usd: maxCostUsd }),
    ...(maxRuntime === undefined ? {} : { max_runtime_seconds: maxRuntime }),
  };
}

function toRunSpec(parts: SettingsParts, loop: EffectiveLoop): RunSpec {
  const { declared, instructions, backends } = parts;
  const detection = toEffective(EVENT_LOOP_KEYS.loop_detection.keys, loop.loop_detection);
  return {
    objective: parts.objective.text,
    coordinator: loop.coordinator,
    mode: declared.mode ?? null,
    promise: loop.completion_promise,
    startingEvent: loop.starting_event ?? null,
    startingHat: loop.starting_hat ?? null,
    recoveryHat: loop.recovery_hat ?? null,
    routing: loop.routing,
    ...compileParallel(declared),
    eventSources: [...new Set(loop.event_sources)],
    terminalEvents: [...new Set(loop.terminal_events)],
    requiredEvents: [...new Set(loop.required_events)],
    hats: parts.hatIds === null ? null : parts.hatIds.map((id) => compileHat(id, parts, loop)),
    ralph: {
      instructions: instructions.ralph,
      backends: toLabels(backends.ralph),
      timeoutMs: loop.timeout_seconds,
      idleTimeoutMs: loop.idle_timeout_seconds,
    },
    limits: {
      maxIterations: loop.max_iterations,
      maxRuntimeMs: loop.max_runtime_seconds,
      maxCostUsd: loop.max_cost_usd ?? null,
      maxConsecutiveFailures: loop.max_consecutive_failures,
      checkpointInterval: loop.checkpoint_interval,
      cooldownMs: loop.cooldown_delay_seconds,
    },
    loopDetection: detection,
    retry: toRetrySpec(loop.retry),
    onLimit: loop.on_limit,
    gates: compileGates(parts.flags.noGates === true ? { ...declared, gates: [] } : declared),
    ...(Object.keys(parts.events).length === 0 ? {} : { events: parts.events }),
    ...compileHooked(parts.hooks.hooks),
  };
}

/** Whose events and completions hooks are asked about. */
function compileHooked(hooks: CompiledHooks['hooks']): Pick<RunSpec, 'hooked'> {
  const list = (event: HookEventName): readonly string[] =>
    Object.entries(hooks).flatMap(([hat, specs]) => (specs.some((spec) => spec.event === event) ? [hat] : []));
  const hooked = { publish: list('EventPublish'), complete: list('CompletionRequested') };
  return hooked.publish.length + hooked.complete.length === 0 ? {} : { hooked };
}

/** Without an address and a choice there is nothing to say beside the command. */
function compileNotify(declared: Declared['notify'] = {}): Pick<Settings, 'notify' | 'news'> {
  const { command: notify = null, url = null, secret = null, on } = declared;
  return url === null && on === undefined ? { notify } : { notify, news: { on: on ?? DEFAULT_NEWS.on, url, secret } };
}

/** Where only one of both pauses is said, the default of the other gives way to it. */
function toRetrySpec(declared: EffectiveLoop['retry']): RetrySpec {
  const { max_attempts: maxAttempts, base_seconds: baseMs, max_seconds: maxMs } = toEffective(EVENT_LOOP_KEYS.retry.keys, declared);
  return declared?.max_seconds === undefined
    ? { maxAttempts, baseMs, maxMs: Math.max(baseMs, maxMs) }
    : { maxAttempts, baseMs: Math.min(baseMs, maxMs), maxMs };
}

function toLabels(backends: readonly PlacedBackend[]): readonly string[] {
  return backends.map((backend) => toLabel(toBackendSpec(backend)));
}

function toBackends({ declared, backends, hatIds, hooks }: SettingsParts): Settings['backends'] {
  const toSpecs = (id: string, list: readonly PlacedBackend[]): readonly BackendSpec[] => {
    const named = declared.hats?.[id]?.profile;
    const ofHat = findProfileName(id, named, backends);
    return list.map((placed, index) => {
      const hookList = toHookListName(id, index);
      const profile = placed.agent === undefined ? ofHat : findAgentProfile(placed, named);
      return {
        ...toBackendSpec(placed),
        ...(Object.hasOwn(hooks.ofBackends, hookList) ? { hookList } : {}),
        ...(profile === ofHat ? {} : { profile }),
      };
    });
  };
  const hats = (hatIds ?? []).map((id) => [id, toSpecs(id, backendsOf(id, backends))] as const);
  const single = declared.mode === 'single' ? { [DEFAULT_HAT]: toSpecs(DEFAULT_HAT, backends.ralph) } : {};
  return { ...Object.fromEntries(hats), [RALPH]: toSpecs(RALPH, backends.ralph), ...single };
}

function toPrices(declared: Declared): Readonly<Record<string, ModelPrice>> {
  const prices = Object.entries(declared.prices ?? {}).map(([model, price]) => {
    const { input = 0, output = 0, cache_read: read, cache_write: write, as_of: asOf } = price;
    const optional = { ...(read === undefined ? {} : { cacheReadUsd: read }), ...(write === undefined ? {} : { cacheWriteUsd: write }) };
    return [model, { inputUsd: input, outputUsd: output, ...optional, ...(asOf === undefined ? {} : { asOf }) }] as const;
  });
  return Object.fromEntries(prices);
}

/** The configuration in force, key by key, as it is compared. */
function toDigested(
  { cwd, declared, overrides, instructions, events, hooks }: SettingsParts,
  loop: EffectiveLoop,
): Readonly<Record<string, unknown>> {
  // A run may go on in another folder, where its scripts have other paths.
  const toPlaced = (specs: object): Json =>
    mapTexts(specs as Json, (text) => (text === cwd || text.startsWith(`${cwd}/`) ? `.${text.slice(cwd.length)}` : text));
  const { name: _, description: __, hats, ralph, ...rest } = declared;
  const texts = Object.entries(hats ?? {}).map(
    ([id, hat]) => [id, { ...hat, instructions: instructions.hats[id], instructions_file: undefined }] as const,
  );
  return {
    ...rest,
    events,
    // With what their files held: whoever goes on with a run is told that a hook was changed.
    ...(Object.keys(hooks.hooks).length === 0 ? {} : { hooks: toPlaced(hooks.hooks) }),
    ...(Object.keys(hooks.ofBackends).length === 0 ? {} : { backendHooks: toPlaced(hooks.ofBackends) }),
    ...(hooks.ofRun.length === 0 ? {} : { runHooks: toPlaced(hooks.ofRun) }),
    event_loop: loop,
    cli: { ...toEffective(CLI_KEYS, declared.cli), ...toCliOverrides(overrides) },
    core: toEffective(CORE_KEYS, declared.core),
    ralph: { ...ralph, instructions: instructions.ralph, instructions_file: undefined },
    ...(hats === undefined ? {} : { hats: Object.fromEntries(texts) }),
  };
}

function toCliOverrides({ backend, model }: Overrides): Readonly<Record<string, unknown>> {
  return { ...(backend === undefined ? {} : { backend: [{ type: backend }] }), ...(model === undefined ? {} : { model }) };
}

function compileHat(id: string, { declared, backends, instructions }: SettingsParts, loop: EffectiveLoop): HatSpec {
  const hat = declared.hats?.[id] ?? {};
  return {
    id,
    name: hat.name ?? id,
    description: hat.description?.trim() ?? '',
    triggers: triggersOf(hat),
    publishes: [...(hat.publishes ?? []), ...toPanelEvents(hat.panel)],
    defaultPublishes: hat.default_publishes ?? [],
    transitions: hat.transitions ?? [],
    instructions: instructions.hats[id] ?? '',
    maxActivations: hat.max_activations ?? null,
    ...((hat.takes === 'one' || hat.parallel !== undefined) && { takes: 'one' as const }),
    ...(hat.parallel !== undefined && { parallel: hat.parallel }),
    timeoutMs: hat.timeout_seconds ?? loop.timeout_seconds,
    idleTimeoutMs: hat.idle_timeout_seconds ?? loop.idle_timeout_seconds,
    backends: toLabels(backendsOf(id, backends)),
    ...compilePanel(hat.panel),
    ...(mayWorkInCopies(id, declared) && findAloneCause(id, declared, backends) !== null && { alone: true as const }),
  };
}

/** `sandbox:` and what hats say of it, with the defaults filled in. */
function compileSandbox({ declared, hatIds }: SettingsParts): SandboxRules {
  const { mode, scratch, readable, network } = toEffective(SANDBOX_KEYS, declared.sandbox);
  const isSafe = declared.safe ?? false;
  const hats = [...(hatIds ?? []), ...(isSafe ? [RALPH, DEFAULT_HAT] : [])].flatMap((id) => {
    const own = declared.hats?.[id]?.sandbox;
    if (isSafe && own !== 'off') return [[id, 'required'] as const];
    return own === undefined ? [] : [[id, own] as const];
  });
  return {
    // A sandbox that is switched off stays off: a safe run is refused for it.
    mode: isSafe && mode !== 'off' ? 'required' : mode,
    scratch: [...new Set(scratch)],
    readable: [...new Set(readable)],
    hasNetwork: network,
    hats: Object.fromEntries(hats),
    onViolation: declared.on_violation ?? 'report',
  };
}

/** All profiles, and which of them binds each hat, by name and in full; `null` for those that nothing holds back. */
function compileProfiles(
  declared: Declared,
  hatIds: readonly string[],
  backends: CompiledBackends,
): Pick<Settings, 'policies' | 'profileNames' | 'profiles'> {
  const find = createPolicyFinder(declared.profiles ?? {});
  const ralph = declared.ralph?.profile ?? null;
  const names: (readonly [id: string, name: string | null])[] = hatIds.map((id) => {
    return [id, findProfileName(id, declared.hats?.[id]?.profile, backends)];
  });
  names.push([RALPH, ralph], ...(declared.mode === 'single' ? [[DEFAULT_HAT, ralph] as const] : []));
  const known = [...new Set([...BUILT_IN_PROFILES, ...Object.keys(declared.profiles ?? {})])];
  return {
    profiles: Object.fromEntries(known.map((name) => [name, find(name)])),
    profileNames: Object.fromEntries(names),
    policies: Object.fromEntries(names.map(([id, name]) => [id, name === null ? null : find(name)])),
  };
}
