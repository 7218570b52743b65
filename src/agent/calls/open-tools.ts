import { platform, release } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { toTurnName } from '../../core/run/turn.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import type { SecretValue } from '../../core/text/secrets.ts';
import { BUILT_IN_CARDS } from '../../core/tools/built-in-cards.ts';
import type { ProfilePolicy } from '../../core/tools/tool-profiles.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/values/json.ts';
import { tryOr } from '../../core/values/result.ts';
import { readGitText } from '../../git/git-places.ts';
import { locateCall } from '../../hooks/locate-call.ts';
import { NO_HOOKS, type ToolHooks } from '../../hooks/tool-hooks.ts';
import type { TurnRequest } from '../../ports/backend.ts';
import type { ModelTool } from '../../ports/model.ts';
import { createRedactor } from '../../process/redact.ts';
import { createJail } from '../files/jail.ts';
import { readWholeFile } from '../files/open-pinned.ts';
import type { NoteForm, ToolBox } from '../session/agent-turn.ts';
import { createRegistry, offerTools } from '../tool/registry.ts';
import type { AnyTool, Jail, ToolContext } from '../tool/tool.ts';
import { capOutput, createSpill } from '../tool/tool-output.ts';
import { EMIT_EVENT } from '../tools/emit-event.ts';
import { withBuiltInHooks } from './built-in-hooks.ts';
import { type CallRules, callTool, type OutputRules } from './call-tool.ts';
import { createNonce, explainNotes, type HookTextRules } from './hook-text.ts';
import { createCallPermits, NO_RECORD, type PermitSettings } from './permit-call.ts';
import { askAfterAll } from './run-batch.ts';

/** What the tools of one hat are made of, beside the turn itself. */
export interface ToolSettings
  extends Pick<ToolContext, 'quality' | 'publishes' | 'publish' | 'search' | 'allowedPrivateHosts' | 'passEnv' | 'protectedBranches'> {
  /** The tools that there are, in the order in which they are offered. */
  readonly tools: readonly AnyTool[];
  /** `null`: no profile, everything. */
  readonly policy: ProfilePolicy | null;
  /** Absolute. */
  readonly workspace: string;
  /** Absolute; what only the orchestrator writes. */
  readonly stateDir: string;
  /** Absolute; the root of the run in it is a real path. */
  readonly scratchpad: string;
  /** Absolute; files of the workspace that no tool writes, beside the state. */
  readonly protectedFiles?: readonly string[];
  /** What must not come back in an output, beside the secrets of the environment. */
  readonly secrets?: readonly SecretValue[];
  /** What is asked about every call; default: nothing. */
  readonly hooks?: ToolHooks;
  /** How the model is given what hooks say behind results; default `text`. */
  readonly noteForm?: 'text' | 'json';
  /** The rules about calls, and who keeps what is decided; default: no rules, and nobody is asked. */
  readonly permissions?: Pick<PermitSettings, 'spec' | 'store' | 'hat'>;
  /** Ends what was opened for this turn (servers of tools). */
  readonly close: () => Promise<void>;
}

/**
 * Puts the tools of one turn together: what the profile offers, the walls around them, and what happens to their outputs.
 *
 * @param nonce in the headings of what hooks say behind results; the same as long as the conversation goes on
 */
export function openTools(settings: ToolSettings, request: TurnRequest, signal: AbortSignal, nonce = createNonce()): ToolBox {
  const registry = createRegistry(settings.tools);
  const { tools, names } = offerTools(registry, settings.policy, { env: request.env, quality: settings.quality, search: settings.search });
  const mayWrite = tools.some(({ group }) => group === 'fs_write');
  const context = toContext(settings, request, signal, mayWrite);
  const redact = createRedactor(request.env, settings.secrets);
  const hasHooks = settings.hooks !== undefined && settings.hooks !== NO_HOOKS;
  const noteForm: NoteForm = { kind: hasHooks ? (settings.noteForm ?? 'text') : 'text', nonce };
  const hookText: HookTextRules = { keep: createSpill(context.spillDir, 'hook', context.jail.toShown) };
  const hooks = withBuiltInHooks(settings.hooks ?? NO_HOOKS, {
    passed: createClock(request),
    isOwn: (tool) => registry.find(tool) !== undefined && !tool.startsWith('mcp__') && !BUILT_IN_NAMES.has(tool),
  });
  const rules = toCallRules(settings, request, context, redact, hooks);
  const readOnly = new Set(tools.filter(({ hints }) => hints.readOnly).map(({ name }) => name));
  return {
    tools: tools.map(toModelTool),
    isReadOnly: (name) => readOnly.has(name),
    mayRepeat: (name, args) => mayRepeat(tools, name, args, context),
    reads: context.session.reads,
    call: (name, args, id = '') =>
      callTool({ registry, offered: names }, { id, name, args }, context, toRules(context, name, redact, hookText), rules),
    afterAll: (calls, results) => askAfterAll(hooks, calls, results, { redact, hookText }),
    keep: (name, text) => createSpill(context.spillDir, name, context.jail.toShown)(text),
    noteForm,
    redact,
    describeProject: async (now) => {
      const project = redact(await describeProject(context.jail, now));
      // Without hooks there are no notes, and the system text stays the same for all turns.
      return hasHooks ? `${project}\n\n${explainNotes(noteForm)}` : project;
    },
    close: async () => {
      await Promise.all([settings.close(), settings.hooks?.close()]);
    },
  };
}

function toCallRules(
  settings: ToolSettings,
  request: TurnRequest,
  { jail }: ToolContext,
  redact: (text: string) => string,
  hooks: ToolHooks,
): CallRules {
  const { permissions = NO_RECORD } = settings;
  const { people } = request;
  const turn = toTurnName(request.turn);
  const locate: PermitSettings['locate'] = (call) => locateCall(call, jail.workspace);
  return {
    hooks,
    permit: createCallPermits({ ...permissions, turn, hooks, locate, redact, now: Date.now, ...(people === undefined ? {} : { people }) }),
  };
}

const BUILT_IN_NAMES: ReadonlySet<string> = new Set(BUILT_IN_CARDS.map(({ name }) => name));

/** How much of a turn's time has passed, without the time in which people were waited for; 0 where it has no limit. */
function createClock({ timeoutMs, hold }: TurnRequest): () => number {
  const startedAt = performance.now();
  return () => (timeoutMs > 0 ? (performance.now() - startedAt - (hold?.heldMs() ?? 0)) / timeoutMs : 0);
}

function toContext(settings: ToolSettings, request: TurnRequest, signal: AbortSignal, mayWrite: boolean): ToolContext {
  const { workspace, stateDir, scratchpad, protectedFiles = [] } = settings;
  const { quality, publishes, publish, search, allowedPrivateHosts, passEnv, protectedBranches } = settings;
  const spillDir = join(dirname(request.logs.stdoutPath), 'outputs');
  const jail = createJail({
    workspace,
    readRoots: [spillDir],
    writeRoots: [workspace],
    sharedFiles: [scratchpad],
    protectedPaths: [stateDir, ...protectedFiles],
    isReadOnly: !mayWrite,
  });
  return {
    jail,
    session: { reads: new Map(), todos: [] },
    signal,
    env: request.env,
    marker: request.marker,
    ...(request.scope?.confine === undefined ? {} : { confine: request.scope.confine }),
    ...(request.scope?.view === undefined ? {} : { view: request.scope.view }),
    ...(request.isolation === undefined ? {} : { isolation: request.isolation }),
    spillDir,
    scratchpad,
    quality,
    publishes,
    publish,
    mayWrite,
    search,
    allowedPrivateHosts,
    ...(passEnv === undefined ? {} : { passEnv }),
    ...(protectedBranches === undefined ? {} : { protectedBranches }),
  };
}

function toRules({ spillDir, jail }: ToolContext, name: string, redact: OutputRules['redact'], hookText: HookTextRules): OutputRules {
  const spill = createSpill(spillDir, name, jail.toShown);
  return { redact, hookText, cap: async (text, keep) => (await capOutput(text, { keep }, spill)).text };
}

function toModelTool({ name, description, parameters }: AnyTool): ModelTool {
  return { name, description, parameters: toParameters(parameters) };
}

const schemas = new WeakMap<object, JsonObject>();

/** JSON Schema of what a tool takes, in the form that every provider reads; made once for each. */
function toParameters(parameters: z.ZodType): JsonObject {
  const known = schemas.get(parameters);
  if (known !== undefined) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: 'input', target: 'draft-7', unrepresentable: 'any' }) as Record<
    string,
    Json
  >;
  const made: JsonObject = isJsonObject(schema) && schema['type'] === 'object' ? schema : { type: 'object', properties: {}, ...schema };
  schemas.set(parameters, made);
  return made;
}

/**
 * Whether a call that was cut off may be made once more: by the hints of its tool, because what an interrupted turn published is withdrawn by the loop, or
 * because the file that it was to change still is what was read. False for a tool that is not offered. Never rejects.
 *
 * @param offered the tools that the hat may use
 */
export async function mayRepeat(offered: readonly AnyTool[], name: string, args: Json, context: ToolContext): Promise<boolean> {
  const tool = offered.find((candidate) => candidate.name === name);
  if (tool === undefined) return false;
  if (tool.hints.readOnly || tool.hints.idempotent || name === EMIT_EVENT) return true;
  if (tool.group !== 'fs_write' || !isJsonObject(args) || typeof args['path'] !== 'string') return false;
  return isAsRead(args['path'], context).catch(() => false);
}

async function isAsRead(path: string, { jail, session }: ToolContext): Promise<boolean> {
  const real = await jail.resolveWrite(path);
  if (!real.ok) return false;
  const known = session.reads.get(real.value);
  if (known === undefined || known.sha256 === '') return false;
  const file = await readWholeFile(real.value, path);
  return file.ok && file.value.record.sha256 === known.sha256;
}

/** What a project says to agents, in the order in which it is looked for: the first that is there counts. */
const PROJECT_FILES = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'];
/** Of that file; about 8,000 tokens. */
const MAX_CHARACTERS = 32_000;

/**
 * Where the agent works, and what the project says to agents: for the system text. It is the same all day, so that providers can cache it. The file is
 * read inside of the jail, as a tool would.
 *
 * @param now epoch milliseconds
 */
export async function describeProject(jail: Jail, now: number): Promise<string> {
  const facts = [
    `- folder: ${toLine(jail.workspace)}`,
    `- system: ${platform()} ${release()}`,
    `- date: ${new Date(now).toISOString().slice(0, 10)}`,
    ...toBranchLine(jail.workspace),
  ];
  return ['# Where you work', ...facts, ...(await readProjectFile(jail))].join('\n');
}

async function readProjectFile(jail: Jail): Promise<readonly string[]> {
  for (const name of PROJECT_FILES) {
    const real = await jail.resolveRead(name);
    const file = real.ok ? await readWholeFile(real.value, name) : real;
    if (!file.ok) continue;
    const text = file.value.bytes.toString('utf8').trim();
    if (text === '') continue;
    const cut = text.length > MAX_CHARACTERS ? `\n[cut here: ${text.length} characters in all; read_file shows the rest]` : '';
    return ['', `# What ${name} of the project says`, '', `${text.slice(0, MAX_CHARACTERS)}${cut}`];
  }
  return [];
}

/** Read from `.git/HEAD`: no program is started for it. Nothing where there is no branch. */
function toBranchLine(workspace: string): readonly string[] {
  return tryOr(() => {
    const dot = join(workspace, '.git');
    const [, elsewhere] = readHead(dot);
    const head = elsewhere ?? readGitText(join(dot, 'HEAD'));
    const [, branch] = /^ref: refs\/heads\/(.{1,200})/.exec(head) ?? [];
    return branch === undefined ? [] : [`- branch of git: ${toLine(branch)}`];
  }, []);
}

function readHead(dot: string): readonly [null, string | null] {
  return tryOr(() => {
    const [, folder] = /^gitdir: (.+)/.exec(readGitText(dot)) ?? [];
    return [null, folder === undefined ? null : readGitText(join(folder.trim(), 'HEAD'))];
  }, [null, null]);
}

function toLine(text: string): string {
  return maskControls(text.replace(/\s+/g, ' '));
}
