import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findGuidePage } from '../config/layers/package-files.ts';
import { findHooks, type ModelPrice, type Settings } from '../config/settings.ts';
import { parseYamlText } from '../config/yaml/parse-yaml.ts';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import { type BackendSpec, type NativeSpec, toBackendLabel } from '../core/backends/backend-spec.ts';
import { findListPrice } from '../core/backends/list-prices.ts';
import type { Usage } from '../core/backends/usage.ts';
import { DEFAULT_HAT, RALPH } from '../core/events/reserved.ts';
import { NO_PERMISSIONS, NO_STORE, type PermissionStore } from '../core/hooks/permission-spec.ts';
import { NO_WORK } from '../core/run/inputs.ts';
import { toTurnName } from '../core/run/turn.ts';
import { NO_TOOLS_SPEC } from '../core/tools/tools-spec.ts';
import { isRalphError, RalphError, toErrorCode, toErrorMessage } from '../core/values/errors.ts';
import { toTextHash } from '../core/values/hash.ts';
import { type Json, readOwn } from '../core/values/json.ts';
import { accept, refuse } from '../core/values/result.ts';
import { findTurn } from '../emit/contract-file.ts';
import { emitInto } from '../emit/emit-event.ts';
import { readOffer } from '../emit/read-offer.ts';
import { toQualityOfGates } from '../gates/quality-of-gates.ts';
import { createToolHooks } from '../hooks/ask-hooks.ts';
import type { ToolHooks } from '../hooks/tool-hooks.ts';
import { listRunTools } from '../plugins/plugin-files.ts';
import type { Backend, RunningTurn, TurnRequest, TurnResult } from '../ports/backend.ts';
import type { Model } from '../ports/model.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { findAgentPolicy } from '../runs/hat-capabilities.ts';
import { findKnownSecrets } from '../safety/known-secrets.ts';

type AgentRoom = typeof import('../agent/index.ts');
type ToolSettings = Parameters<AgentRoom['openTools']>[0];

/** Where a native agent works, and under which settings. */
export interface NativeHome {
  /** Absolute. */
  readonly workspace: string;
  readonly settings: Settings;
  /** Keeps what is decided about calls; absent: nobody does. */
  readonly permissionStore?: PermissionStore;
}

/** Makes the native agent for one hat. Its code is loaded with its first turn. */
export function createNativeBackendFor(made: NativeHome, hat: string, spec: BackendSpec, panel?: { readonly scriptName: string }): Backend {
  const label = toBackendLabel(spec);
  return createLazyBackend(label, async () => {
    const room = await import('../agent/index.ts');
    const native = requireNative(spec);
    const { settings } = made;
    return room.createNativeBackend({
      label,
      hat,
      key: `${native.provider}:${spec.model ?? native.script ?? ''}`,
      // An agent of a panel goes on with what it did in the rounds before.
      context: panel === undefined ? native.context : 'carry',
      limits: { ...native, retry: settings.spec.retry },
      createModel: (place) =>
        createNativeModel(room, made.workspace, spec, panel === undefined ? place : { ...place, hat: panel.scriptName }),
      openTools: (request, signal, warn, nonce) => openHatTools({ room, made, hat, spec, request, signal, warn }, nonce),
      priceOf: (usage: Usage, model) =>
        toNativePrice(settings.prices, model ?? spec.model ?? null, usage) ?? toNativePrice(settings.prices, spec.model ?? null, usage),
    });
  });
}

function requireNative({ native }: BackendSpec): NativeSpec {
  if (native !== undefined) return native;
  throw toIncomplete('The native agent has no model.');
}

function toIncomplete(what: string): RalphError {
  return new RalphError({
    code: 'native-incomplete',
    what,
    fix: 'Write for example: backend: {type: native, provider: anthropic, model: claude-sonnet-4-5}',
  });
}

type Place = Parameters<AgentRoom['createScriptedModel']>[1];

/**
 * Makes the model of a native agent.
 *
 * @throws RalphError `native-incomplete`, `native-key`, `native-packages`, `native-script`
 */
export async function createNativeModel(room: AgentRoom, workspace: string, { native, model }: BackendSpec, place: Place): Promise<Model> {
  const { provider, script, baseUrl, apiKeyEnv, effort } = requireNative({ native } as BackendSpec);
  if (provider === 'scripted') return room.createScriptedModel(readScript(room, workspace, script), place);
  if (model === undefined) throw toIncomplete(`The native agent has no model of ${provider}.`);
  const settings = {
    kind: provider,
    model,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(effort === undefined ? {} : { effort }),
    ...toCacheKey(place),
  };
  return room.createLibraryModel(settings, place.env);
}

/** The same for all turns of a hat in a run: they begin alike, and nobody else's do. No name goes to the provider. */
function toCacheKey({ hat, env }: Place): { readonly cacheKey?: string } {
  const { RALPH_RUN_ID: run } = env;
  return run === undefined ? {} : { cacheKey: `ralph-${toTextHash(`${run} ${hat}`)}` };
}

function readScript(room: AgentRoom, workspace: string, file: string | undefined): Parameters<AgentRoom['createScriptedModel']>[0] {
  if (file === undefined) throw toIncomplete('The scripted model has no script.');
  const parsed = room.parseScript(readYaml(file, resolve(workspace, file)));
  if (parsed.ok) return parsed.value;
  throw toScriptError(file, parsed.refused);
}

function readYaml(shown: string, path: string): Json {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw toScriptError(shown, `it cannot be read (${toErrorCode(error)})`);
  }
  try {
    return parseYamlText(text, shown);
  } catch (error) {
    throw toScriptError(shown, isRalphError(error) ? [error.message, error.fix].filter(Boolean).join('\n') : String(error));
  }
}

function toScriptError(file: string, problem: string): RalphError {
  return new RalphError({
    code: 'native-script',
    what: `${file} cannot be played: ${problem}`,
    why: 'A scripted model says what is written there.',
    fix: `What a script holds: ${findGuidePage('native-agent')}`,
  });
}

interface HatTurn {
  readonly room: AgentRoom;
  readonly made: NativeHome;
  readonly hat: string;
  readonly spec: BackendSpec;
  readonly request: TurnRequest;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/** The tools of one turn; the profile is looked up now, so that a run that was resumed with another one is bound by that. */
async function openHatTools(turn: HatTurn, nonce: string): Promise<ReturnType<AgentRoom['openTools']>> {
  const { room, made, hat, spec, request, signal, warn } = turn;
  const { mcpServers } = made.settings;
  const { cwd, env, marker, isolation } = request;
  const servers = await room.openServers(mcpServers, findAgentPolicy(made.settings, hat, spec), { cwd, env, marker, isolation, signal });
  for (const warning of servers.warnings) warn(warning);
  const { noteForm = 'text' } = made.settings;
  const rules = { hooks: openHatHooks(turn), noteForm, ...toPermissions(turn) } as const;
  return room.openTools({ ...toToolSettings(turn, servers), ...rules }, request, signal, nonce);
}

/** The rules about the calls of this hat. */
function toPermissions({ made, hat }: HatTurn): Pick<ToolSettings, 'permissions'> {
  const { settings, permissionStore: store = NO_STORE } = made;
  const spec = readOwn(settings.permissions ?? {}, hat) ?? NO_PERMISSIONS;
  return { permissions: { hat, spec, store } };
}

/** What is asked about the calls of this hat. */
function openHatHooks({ made, hat, spec, request, signal }: HatTurn): ToolHooks {
  const specs = findHooks(made.settings, hat, spec);
  const { env, cwd, marker } = request;
  const { RALPH_RUN_ID: run = '' } = env;
  const agentId = hat === RALPH || hat === DEFAULT_HAT ? null : hat;
  const scene = { run, turn: toTurnName(request.turn), hat, agentId, cwd, env, signal, marker };
  return createToolHooks(specs, scene, { now: Date.now, steady: steadyMs });
}

type ServerTools = Awaited<ReturnType<AgentRoom['openServers']>>;

function toToolSettings({ room, made, hat, spec, request }: HatTurn, servers: ServerTools): ToolSettings {
  const { workspace, settings } = made;
  // An agent of a panel works in a folder of its own.
  const root = request.hand === undefined ? workspace : request.cwd;
  const place = findTurn(request.env);
  const topics = place === null ? [] : (readOffer(place).topics ?? []);
  const { search, privateHosts, passEnv, protectedBranches, plugins } = settings.tools ?? NO_TOOLS_SPEC;
  return {
    tools: [
      ...listOwnTools(room, request, topics),
      ...toPeopleTools(room, made, request),
      ...listRunTools(settings).map(room.toPluginTool),
      ...servers.tools,
    ],
    policy: findAgentPolicy(settings, hat, spec),
    workspace: request.cwd,
    stateDir: resolve(root, settings.stateDir),
    scratchpad: join(realpathSync.native(root), settings.prompts.scratchpad),
    quality: toQualityOfGates(settings.spec.gates),
    secrets: findKnownSecrets(settings, request.env),
    publishes: topics,
    publish: async (topic, payload, target) => publish(request, workspace, { topic, payload, target }, topics),
    search: search === null ? null : room.createSearch(search, request.env),
    allowedPrivateHosts: privateHosts,
    passEnv,
    ...(protectedBranches === null ? {} : { protectedBranches }),
    protectedFiles: Object.values(plugins),
    close: servers.close,
  };
}

/** Tools that speak for the hat, and notes that would stay in the folder of one agent. */
const OF_THE_HAT: ReadonlySet<string> = new Set(['emit_event', 'task_complete', 'write_scratchpad', 'update_todos']);

/** An agent of a panel hands in instead of publishing. */
function listOwnTools(room: AgentRoom, { hand }: TurnRequest, topics: readonly string[]): ToolSettings['tools'] {
  const builtIn = room.createBuiltInTools(topics);
  if (hand === undefined) return builtIn;
  return [...room.createHandInTools(hand), ...builtIn.filter(({ name }) => !OF_THE_HAT.has(name))];
}

/** Only where the configuration says that agents may ask are they told of it: most runs have nobody who would answer. */
function toPeopleTools(room: AgentRoom, { settings }: NativeHome, { people }: TurnRequest): ToolSettings['tools'] {
  return settings.human?.ask === 'on' && people !== undefined ? [room.createAskPersonTool(people)] : [];
}

interface Wish {
  readonly topic: string;
  readonly payload: Json;
  readonly target: string | undefined;
}

type Published = Awaited<ReturnType<ToolSettings['publish']>>;

/** Publishes as `ralph emit` does in a CLI's turn: checks the event with the hat's contract, appends it to the agents' file. */
function publish({ env }: TurnRequest, root: string, { topic, payload, target }: Wish, allowed: readonly string[]): Published {
  const place = findTurn(env);
  if (place === null) return refuse({ reason: 'this is no turn of a run', allowed: [] });
  const isText = typeof payload === 'string';
  const words = { topic, payload: isText ? payload : JSON.stringify(payload), json: !isText };
  try {
    emitInto(target === undefined ? words : { ...words, target }, { ...place, root });
    return accept(topic);
  } catch (error) {
    if (isRalphError(error)) return refuse({ reason: error.message, allowed });
    return refuse({ reason: `the events file cannot be written (${toErrorCode(error)})`, allowed });
  }
}

/** A backend whose code is loaded when its first turn starts: an agent that gets no turn costs nothing. */
export function createLazyBackend(label: string, load: () => Promise<Backend>): Backend {
  let loading: Promise<Backend> | undefined;
  return {
    label,
    start: (request, observe) => {
      loading ??= load();
      return startWhenLoaded(loading, request, observe);
    },
  };
}

function startWhenLoaded(loading: Promise<Backend>, request: TurnRequest, observe: (event: BackendEvent) => void): RunningTurn {
  let running: RunningTurn | null = null;
  let isStopped = false;
  const result = loading.then(
    (backend) => {
      if (isStopped) return toEarlyEnd('stopped', null);
      running = backend.start(request, observe);
      return running.result;
    },
    (error: unknown) => toEarlyEnd('failed', { class: 'spawn', message: toErrorMessage(error) }),
  );
  const end = (how: (turn: RunningTurn) => void): void => {
    isStopped = true;
    if (running !== null) how(running);
  };
  return {
    result,
    stop: (graceMs) => end((turn) => turn.stop(graceMs)),
    kill: () => end((turn) => turn.kill()),
    // What comes before its code is there is given with its first step.
    tell: (words) => void loading.then(() => running?.tell?.(words)).catch(() => undefined),
    finish: () => void loading.then(() => running?.finish?.()).catch(() => undefined),
    obey: (order) => void loading.then(() => running?.obey?.(order)).catch(() => undefined),
  };
}

/** A turn that never began. */
function toEarlyEnd(status: 'stopped' | 'failed', failure: TurnResult['failure']): TurnResult {
  return {
    status,
    failure,
    ...NO_WORK,
    logError: null,
  };
}

const MILLION = 1_000_000;

/** The price of a model: by its whole name, else by the longest name in the table with which it begins (`claude-sonnet-4-5` for `claude-sonnet-4-5-20250929`). */
export function findPrice(prices: Readonly<Record<string, ModelPrice>>, model: string): ModelPrice | undefined {
  const name = Object.keys(prices)
    .filter((key) => model.startsWith(key))
    .sort((a, b) => b.length - a.length)[0];
  return name === undefined ? undefined : readOwn(prices, name);
}

/** The cost of a usage by the user's price table; `null` where the model or its tokens are not known. */
export function toPrice(prices: Readonly<Record<string, ModelPrice>>, model: string | null, usage: Usage): number | null {
  if (model === null || (usage.inputTokens === null && usage.outputTokens === null)) return null;
  const price = findPrice(prices, model);
  if (price === undefined) return null;
  const read = (usage.cacheReadTokens ?? 0) * (price.cacheReadUsd ?? price.inputUsd);
  const write = (usage.cacheWriteTokens ?? 0) * (price.cacheWriteUsd ?? price.inputUsd);
  return ((usage.inputTokens ?? 0) * price.inputUsd + (usage.outputTokens ?? 0) * price.outputUsd + read + write) / MILLION;
}

/** The cost of a usage of the native agent: by the user's table, else by the list price of the model; `null` where neither knows it. */
export function toNativePrice(prices: Readonly<Record<string, ModelPrice>>, model: string | null, usage: Usage): number | null {
  const own = toPrice(prices, model, usage);
  if (own !== null || model === null) return own;
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const known = findListPrice(model, (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0));
  return known === undefined ? null : toPrice({ [model]: known }, model, usage);
}
