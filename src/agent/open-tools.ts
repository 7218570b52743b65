import { dirname, join } from 'node:path';
import * as z from 'zod';
import { isJsonObject, type Json, type JsonObject, type ProfilePolicy, type SecretValue } from '../core/index.ts';
import type { ModelTool, TurnRequest } from '../ports/index.ts';
import { createRedactor } from '../process/index.ts';
import { callTool, type OutputRules } from './call-tool.ts';
import { createSpill } from './create-spill.ts';
import { createJail } from './jail.ts';
import { mayRepeat } from './may-repeat.ts';
import { offerTools } from './offer-tools.ts';
import { capOutput } from './output-cap.ts';
import { describeProject } from './project-text.ts';
import { createRegistry } from './registry.ts';
import type { AnyTool } from './tool.ts';
import type { ToolBox } from './tool-box.ts';
import type { ToolContext } from './tool-context.ts';

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
  /** Ends what was opened for this turn (servers of tools). */
  readonly close: () => Promise<void>;
}

/** Puts the tools of one turn together: what the profile offers, the walls around them, and what happens to their outputs. */
export function openTools(settings: ToolSettings, request: TurnRequest, signal: AbortSignal): ToolBox {
  const registry = createRegistry(settings.tools);
  const { tools, names } = offerTools(registry, settings.policy, { env: request.env, quality: settings.quality, search: settings.search });
  const mayWrite = tools.some(({ group }) => group === 'fs_write');
  const context = toContext(settings, request, signal, mayWrite);
  const redact = createRedactor(request.env, settings.secrets);
  const readOnly = new Set(tools.filter(({ hints }) => hints.readOnly).map(({ name }) => name));
  return {
    tools: tools.map(toModelTool),
    isReadOnly: (name) => readOnly.has(name),
    mayRepeat: (name, args) => mayRepeat(tools, name, args, context),
    reads: context.session.reads,
    call: (name, args) => callTool(registry, names, name, args, context, toRules(context, name, redact)),
    keep: (name, text) => createSpill(context.spillDir, name, context.jail.toShown)(text),
    redact,
    describeProject: async (now) => redact(await describeProject(context.jail, now)),
    close: settings.close,
  };
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

function toRules({ spillDir, jail }: ToolContext, name: string, redact: (text: string) => string): OutputRules {
  const spill = createSpill(spillDir, name, jail.toShown);
  return { redact, cap: async (text, keep) => (await capOutput(text, { keep }, spill)).text };
}

/** A tool as models are told of it. */
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
