import { join } from 'node:path';
import type { BackendType, Json } from '../core/index.ts';
import { type EmitToolText, toEmitExtension } from './attach-extension.ts';
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
}

/** What the server is called in the CLI's configuration. */
const EMIT_SERVER = 'ralph';
/** What its tool is called, whatever comes before it in a CLI's own name for it. */
const EMIT_TOOL = 'emit_event';
/** How long a CLI waits for the server, in seconds: a busy machine needs some. */
const START_SECONDS = 30;

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

/** Whether the tool can be attached to this CLI. */
export function canAttachEmit(cli: BackendType): boolean {
  return PLANNERS[cli] !== undefined;
}

function attachClaude({ server, isAlone }: EmitAttachOrder): AttachedTool {
  return {
    ...NOTHING,
    args: [...(isAlone ? ['--strict-mcp-config'] : []), '--mcp-config', toServers({ type: 'stdio', ...toCommand(server) })],
    allow: [`mcp__${EMIT_SERVER}__${EMIT_TOOL}`],
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
function attachGemini({ server, isAlone }: EmitAttachOrder): AttachedTool {
  return {
    ...NOTHING,
    args: isAlone ? ['--allowed-mcp-server-names', EMIT_SERVER] : [],
    allow: [`mcp_${EMIT_SERVER}_${EMIT_TOOL}`],
    settings: {
      path: '.gemini/settings.json',
      merge: { mcpServers: { [EMIT_SERVER]: { ...toCommand(server), trust: true, timeout: START_SECONDS * 1000 } } },
    },
  };
}

function attachOpencode({ server }: EmitAttachOrder): AttachedTool {
  const entry = { type: 'local', command: [server.command, ...server.args], enabled: true, timeout: START_SECONDS * 1000 };
  return {
    ...NOTHING,
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: { [EMIT_SERVER]: entry } }) },
    allow: [`${EMIT_SERVER}_${EMIT_TOOL}`],
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

function attachCopilot({ server }: EmitAttachOrder): AttachedTool {
  const entry = { type: 'local', ...toCommand(server), tools: ['*'] };
  return { ...NOTHING, args: ['--additional-mcp-config', toServers(entry)], allow: [`${EMIT_SERVER}(${EMIT_TOOL})`] };
}

function attachQwen({ server, isAlone }: EmitAttachOrder): AttachedTool {
  return {
    ...NOTHING,
    args: [
      '--mcp-config',
      toServers({ ...toCommand(server), trust: true }),
      ...(isAlone ? ['--allowed-mcp-server-names', EMIT_SERVER] : []),
    ],
    allow: [`mcp__${EMIT_SERVER}__${EMIT_TOOL}`],
  };
}

/** Over the protocol any agent can be told of servers; most start them (copilot did not). */
function attachAcp({ server }: EmitAttachOrder): AttachedTool {
  return { ...NOTHING, servers: [{ name: EMIT_SERVER, ...toCommand(server) }] };
}

const NOTHING: AttachedTool = { args: [], env: {}, files: [], allow: [] };

function toCommand({ command, args }: EmitServer): { readonly command: string; readonly args: readonly string[] } {
  return { command, args };
}

function toServers(entry: Json): string {
  return JSON.stringify({ mcpServers: { [EMIT_SERVER]: entry } });
}
