import { join } from 'node:path';
import type { BackendType, Json } from '../core/index.ts';
import { type EmitToolText, toEmitExtension } from './attach-extension.ts';
import type { Capabilities } from './capabilities.ts';
import { isPlainCommand } from './plain-command.ts';
import type { AttachedTool } from './scope-plan.ts';

/** How the MCP server that publishes is started: `ralph mcp …`. It says everything by its arguments, because some CLIs pass no environment on. */
export interface EmitServer {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
}

/** What an attachment depends on. */
export interface EmitAttachOrder {
  readonly cli: BackendType;
  readonly server: EmitServer;
  /** What CLIs without MCP are told of the tool. */
  readonly tool: EmitToolText;
  /** Absolute path of the turn's private folder, in which `files` will be. */
  readonly folder: string;
  /** Leave out the MCP servers of the user's own, as far as the CLI can be told: a hat that is held back must not write through one. */
  readonly isAlone: boolean;
  /** Command lines for the tool `run_check`; empty: the server has no such tool. */
  readonly checks: readonly string[];
}

/** What the server is called in the CLI's configuration. */
const EMIT_SERVER = 'ralph';
/** What its tool is called, whatever comes before it in a CLI's own name for it. */
const EMIT_TOOL = 'emit_event';
const CHECK_TOOL = 'run_check';
/** How long a CLI waits for the server, in seconds: a busy machine needs some. */
const START_SECONDS = 30;
/** How long it waits for a result where a tool runs the project's tests: longer than they may take. */
const CHECK_SECONDS = 20 * 60;

const PLANNERS: Readonly<Partial<Record<BackendType, (order: EmitAttachOrder) => AttachedTool>>> = {
  claude: attachClaude,
  codex: attachCodex,
  gemini: attachGemini,
  opencode: attachOpencode,
  pi: attachPi,
  copilot: attachCopilot,
  qwen: attachQwen,
  acp: attachAcp,
};

/**
 * How the tool `emit_event` is attached to one turn of a CLI, without touching the user's own configuration. Pure. Tried with claude 2.1, codex 0.169,
 * gemini 0.61, opencode 1.18, pi 0.73, copilot 1.0 and qwen 0.24.
 *
 * @returns `null` for CLIs that cannot: there an event is a signal in the text, or a line in the file
 */
export function planEmitAttach(order: EmitAttachOrder): AttachedTool | null {
  return PLANNERS[order.cli]?.(order) ?? null;
}

/** CLIs that look at the beginning of a command only: with an argument behind it, an allowed one runs any code. */
const BY_BEGINNING: readonly BackendType[] = ['gemini', 'copilot', 'qwen'];
/** CLIs with lists of whole command lines, in a syntax of their own. */
const BY_WHOLE_LINE: readonly BackendType[] = ['claude', 'opencode'];

/** Whether a list of allowed commands means something else to the CLI than these commands and nothing more. */
export function matchesByBeginning(cli: BackendType): boolean {
  return BY_BEGINNING.includes(cli);
}

/** The commands that a hat which may check, and has no shell, gets by the tool `run_check`: those that its CLI cannot be told to let through exactly. */
export function listToolChecks(cli: BackendType, may: Capabilities, commands: readonly string[]): readonly string[] {
  if (may.mayRunShell || !may.mayRunQuality) return [];
  if (matchesByBeginning(cli)) return commands;
  return BY_WHOLE_LINE.includes(cli) ? commands.filter((command) => !isPlainCommand(command)) : [];
}

/** Whether the tool can be attached to this CLI. */
export function canAttachEmit(cli: BackendType): boolean {
  return PLANNERS[cli] !== undefined;
}

function attachClaude({ server, isAlone, checks }: EmitAttachOrder): AttachedTool {
  return {
    ...NOTHING,
    args: [...(isAlone ? ['--strict-mcp-config'] : []), '--mcp-config', toServers({ type: 'stdio', ...toCommand(server) })],
    allow: listTools(checks).map((tool) => `mcp__${EMIT_SERVER}__${tool}`),
    checks,
  };
}

/**
 * Codex starts MCP servers outside of its own sandbox, so a hat that can only read publishes all the same. The user's other servers cannot be left out
 * (a whole table is merged into theirs); their tools ask before they run, and there is nobody to answer.
 */
function attachCodex({ server }: EmitAttachOrder): AttachedTool {
  const { command, args } = server;
  // The texts and lists of JSON are TOML's as well.
  const table = `{command=${JSON.stringify(command)},args=${JSON.stringify(args)},default_tools_approval_mode="approve",startup_timeout_sec=${START_SECONDS}}`;
  return { ...NOTHING, args: ['-c', `mcp_servers.${EMIT_SERVER}=${table}`] };
}

/** Gemini knows servers from its settings alone, so it gets a home of its own in which they are the user's and this one more. */
function attachGemini({ server, isAlone, checks }: EmitAttachOrder): AttachedTool {
  return {
    ...NOTHING,
    args: isAlone ? ['--allowed-mcp-server-names', EMIT_SERVER] : [],
    allow: listTools(checks).map((tool) => `mcp_${EMIT_SERVER}_${tool}`),
    checks,
    settings: {
      path: '.gemini/settings.json',
      merge: { mcpServers: { [EMIT_SERVER]: { ...toCommand(server), trust: true, timeout: toTimeoutMs(checks) } } },
    },
  };
}

function attachOpencode({ server, checks }: EmitAttachOrder): AttachedTool {
  const entry = { type: 'local', command: [server.command, ...server.args], enabled: true, timeout: toTimeoutMs(checks) };
  return {
    ...NOTHING,
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: { [EMIT_SERVER]: entry } }) },
    allow: listTools(checks).map((tool) => `${EMIT_SERVER}_${tool}`),
    checks,
  };
}

/** pi speaks no MCP: an extension registers the tool and calls `ralph emit`. */
function attachPi({ tool, folder }: EmitAttachOrder): AttachedTool {
  return {
    ...NOTHING,
    args: ['-e', join(folder, EXTENSION)],
    files: [{ path: EXTENSION, content: toEmitExtension(tool) }],
    allow: [EMIT_TOOL],
  };
}

/** In a folder that a sandbox shows as a whole. */
const EXTENSION = 'emit/pi-emit.mjs';

function attachCopilot({ server, checks }: EmitAttachOrder): AttachedTool {
  const entry = { type: 'local', ...toCommand(server), tools: ['*'], timeout: toTimeoutMs(checks) };
  const allow = listTools(checks).map((tool) => `${EMIT_SERVER}(${tool})`);
  return { ...NOTHING, args: ['--additional-mcp-config', toServers(entry)], allow, checks };
}

function attachQwen({ server, isAlone, checks }: EmitAttachOrder): AttachedTool {
  return {
    ...NOTHING,
    args: [
      '--mcp-config',
      toServers({ ...toCommand(server), trust: true, timeout: toTimeoutMs(checks) }),
      ...(isAlone ? ['--allowed-mcp-server-names', EMIT_SERVER] : []),
    ],
    allow: listTools(checks).map((tool) => `mcp__${EMIT_SERVER}__${tool}`),
    checks,
  };
}

/** Over the protocol any agent can be told of servers; most start them (copilot did not). */
function attachAcp({ server }: EmitAttachOrder): AttachedTool {
  return { ...NOTHING, servers: [{ name: EMIT_SERVER, ...toCommand(server) }] };
}

const NOTHING: AttachedTool = { args: [], env: {}, files: [], allow: [], checks: [] };

function listTools(checks: readonly string[]): readonly string[] {
  return checks.length === 0 ? [EMIT_TOOL] : [EMIT_TOOL, CHECK_TOOL];
}

function toTimeoutMs(checks: readonly string[]): number {
  return (checks.length === 0 ? START_SECONDS : CHECK_SECONDS) * 1000;
}

function toCommand({ command, args }: EmitServer): { readonly command: string; readonly args: readonly string[] } {
  return { command, args };
}

function toServers(entry: Json): string {
  return JSON.stringify({ mcpServers: { [EMIT_SERVER]: entry } });
}
