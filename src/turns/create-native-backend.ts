import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openTools, type ToolSettings } from '../agent/calls/open-tools.ts';
import { openServers, type ServerTools } from '../agent/mcp/open-servers.ts';
import { toPluginTool } from '../agent/tool/plugin-tool.ts';
import { createBuiltInTools } from '../agent/tool-list.ts';
import { createNativeAskPersonTool } from '../agent/tools/people/ask-person.ts';
import { createHandInTools } from '../agent/tools/people/hand-in.ts';
import { createSearch } from '../agent/tools/web/create-search.ts';
import { createNativeBackend } from '../agent/turn/native-backend.ts';
import { findHooks, type Settings } from '../config/settings.ts';
import { type BackendSpec, toBackendLabel } from '../core/backends/backend-spec.ts';
import type { Usage } from '../core/backends/usage.ts';
import { DEFAULT_HAT, RALPH } from '../core/events/reserved.ts';
import { NO_PERMISSIONS, NO_STORE, type PermissionStore } from '../core/hooks/permission-spec.ts';
import { toTurnName } from '../core/run/turn.ts';
import { NO_TOOLS_SPEC } from '../core/tools/tools-spec.ts';
import { isRalphError, toErrorCode } from '../core/values/errors.ts';
import { type Json, readOwn } from '../core/values/json.ts';
import { accept, refuse } from '../core/values/result.ts';
import { findEventPlace } from '../emit/contract-file.ts';
import { emitInto } from '../emit/emit-event.ts';
import { readOffer } from '../emit/read-offer.ts';
import { toQualityOfGates } from '../gates/quality-of-gates.ts';
import { createToolHooks } from '../hooks/ask-hooks.ts';
import type { ToolHooks } from '../hooks/tool-hooks.ts';
import { listRunTools } from '../plugins/plugin-files.ts';
import type { Backend, TurnRequest } from '../ports/backend.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { findAgentPolicy } from '../runs/hat-capabilities.ts';
import { findKnownSecrets } from '../safety/known-secrets.ts';
import { createNativeModel, requireNative } from './create-native-model.ts';
import { toNativePrice } from './price.ts';

/** Where a native agent works, and under which settings. */
export interface NativeHome {
  /** Absolute. */
  readonly workspace: string;
  readonly settings: Settings;
  /** Keeps what is decided about calls; absent: nobody does. */
  readonly permissionStore?: PermissionStore;
}

/**
 * Makes the native agent for one hat. Heavy: load this file with the first turn of such an agent. Throws RalphError `native-incomplete`.
 *
 * @param scriptName of an agent of a panel, whose scripts name it
 */
export function createNativeBackendFor(made: NativeHome, hat: string, spec: BackendSpec, scriptName?: string): Backend {
  const native = requireNative(spec);
  const { settings } = made;
  return createNativeBackend({
    label: toBackendLabel(spec),
    hat,
    key: `${native.provider}:${spec.model ?? native.script ?? ''}`,
    // An agent of a panel goes on with what it did in the rounds before.
    context: scriptName === undefined ? native.context : 'carry',
    limits: { ...native, retry: settings.spec.retry },
    createModel: (place) => createNativeModel(made.workspace, spec, scriptName === undefined ? place : { ...place, hat: scriptName }),
    openTools: (request, signal, warn, nonce) => openHatTools({ made, hat, spec, request, signal, warn }, nonce),
    priceOf: (usage: Usage, model) =>
      toNativePrice(settings.prices, model ?? spec.model ?? null, usage) ?? toNativePrice(settings.prices, spec.model ?? null, usage),
  });
}

interface HatTurn {
  readonly made: NativeHome;
  readonly hat: string;
  readonly spec: BackendSpec;
  readonly request: TurnRequest;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/** The tools of one turn; the profile is looked up now, so that a run that was resumed with another one is bound by that. */
async function openHatTools(turn: HatTurn, nonce: string): Promise<ReturnType<typeof openTools>> {
  const { made, hat, spec, request, signal, warn } = turn;
  const { mcpServers } = made.settings;
  const { cwd, env, marker, isolation } = request;
  const servers = await openServers(mcpServers, findAgentPolicy(made.settings, hat, spec), { cwd, env, marker, isolation, signal });
  for (const warning of servers.warnings) warn(warning);
  const { noteForm = 'text' } = made.settings;
  const rules = { hooks: openHatHooks(turn), noteForm, ...toPermissions(turn) } as const;
  return openTools({ ...toToolSettings(turn, servers), ...rules }, request, signal, nonce);
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

function toToolSettings({ made, hat, spec, request }: HatTurn, servers: ServerTools): ToolSettings {
  const { workspace, settings } = made;
  // An agent of a panel works in a folder of its own.
  const root = request.hand === undefined ? workspace : request.cwd;
  const place = findEventPlace(request.env);
  const topics = place === null ? [] : (readOffer(place).topics ?? []);
  const { search, privateHosts, passEnv, protectedBranches, plugins } = settings.tools ?? NO_TOOLS_SPEC;
  return {
    tools: [
      ...listOwnTools(request, topics),
      ...toPeopleTools(made, request),
      ...listRunTools(settings).map(toPluginTool),
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
    search: search === null ? null : createSearch(search, request.env),
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
function listOwnTools({ hand }: TurnRequest, topics: readonly string[]): ToolSettings['tools'] {
  const builtIn = createBuiltInTools(topics);
  if (hand === undefined) return builtIn;
  return [...createHandInTools(hand), ...builtIn.filter(({ name }) => !OF_THE_HAT.has(name))];
}

/** Only where the configuration says that agents may ask are they told of it: most runs have nobody who would answer. */
function toPeopleTools({ settings }: NativeHome, { people }: TurnRequest): ToolSettings['tools'] {
  return settings.human?.ask === 'on' && people !== undefined ? [createNativeAskPersonTool(people)] : [];
}

interface Wish {
  readonly topic: string;
  readonly payload: Json;
  readonly target: string | undefined;
}

type PublishOutcome = Awaited<ReturnType<ToolSettings['publish']>>;

/** Publishes as `ralph emit` does in a CLI's turn: checks the event with the hat's contract, appends it to the agents' file. */
function publish({ env }: TurnRequest, root: string, { topic, payload, target }: Wish, allowed: readonly string[]): PublishOutcome {
  const place = findEventPlace(env);
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
