import { findCli } from '../backends/clis.ts';
import {
  type AttachedTool,
  type CliScope,
  EMIT_SERVER,
  type EmitAttachOrder,
  isPlainCommand,
  NO_ATTACHED_TOOL,
  type ScopeOrder,
  type ScopePlan,
} from '../backends/describe/scope-plan.ts';
import type { BackendType } from '../core/backends/backend-spec.ts';
import { type Capabilities, mayChangeTree } from '../core/tools/tool-profiles.ts';

export function hasScopeFlags(cli: BackendType): boolean {
  return findCli(cli)?.profile !== undefined;
}

/**
 * Plans what a profile means for one CLI: its own flags, files and environment, and in words what its flags cannot say. Pure.
 */
export function planScope(order: ScopeOrder): ScopePlan {
  const profile = findCli(order.cli)?.profile;
  const commands = matchesByBeginning(order.cli) ? [] : order.qualityCommands.filter(isPlainCommand);
  const own = profile?.scope({ ...order, qualityCommands: commands }) ?? planNothing(order);
  return {
    env: {},
    files: [],
    settings: [],
    ...own,
    prompt: profile === undefined ? 'any' : 'stdin',
    limits: [...(own.limits ?? []), ...toCommonLimits(order), ...toSkipped(order, commands)],
  };
}

function planNothing({ cli, args, attach, permissions }: ScopeOrder): CliScope {
  return {
    args: [...args, ...(attach?.args ?? [])],
    env: attach?.env ?? {},
    files: attach?.files ?? [],
    permissions,
    limits: [`${cli} can be told nothing of a profile by its flags.`],
  };
}

/** What no CLI can hold back once it has a shell. */
function toCommonLimits({ may }: ScopeOrder): readonly string[] {
  if (!may.mayRunShell) return [];
  return [
    ...(may.mayWrite ? [] : ['Its shell can write files.']),
    ...(may.mayGitWrite ? [] : ['Its shell can run every git command.']),
    ...(may.mayWeb ? [] : ['Its shell can reach the network.']),
  ];
}

function toSkipped({ cli, may, qualityCommands, attach }: ScopeOrder, listed: readonly string[]): readonly string[] {
  if (mayChangeTree(may) || !may.mayRunQuality) return [];
  if (qualityCommands.length === 0) return ['No command is known that checks this project, so none is allowed.'];
  const why = matchesByBeginning(cli)
    ? `cannot be run: ${cli} allows commands by their beginning, so it gets no shell, and the tool \`run_check\` is not attached (\`cli.emit_tool\`).`
    : 'cannot be written into a list of allowed commands.';
  const runnable = [...listed, ...(attach?.checks ?? [])];
  return qualityCommands.filter((command) => !runnable.includes(command)).map((command) => `\`${command.slice(0, 80)}\` ${why}`);
}

/**
 * Plans how the tool `emit_event`, and what the server offers beside it, is attached to one turn of an agent, without touching the user's own configuration. Pure.
 *
 * @returns `null` for agents that cannot have it: they publish by a signal in the text, or by a line in the events file
 */
export function planEmitAttach(order: EmitAttachOrder): AttachedTool | null {
  return order.cli === 'acp' ? attachAcp(order) : (findCli(order.cli)?.emitTool?.attach(order) ?? null);
}

export function canAttachEmit(cli: BackendType): boolean {
  return cli === 'acp' || findCli(cli)?.emitTool !== undefined;
}

/** Whether a list of allowed commands means something else to the CLI than these commands and nothing more. */
function matchesByBeginning(cli: BackendType): boolean {
  return findCli(cli)?.profile?.commandLists === 'beginnings';
}

/** The commands that a hat which may check, and has no shell, gets by the tool `run_check`: those that its CLI cannot be told to allow exactly. */
export function listToolChecks(cli: BackendType, may: Capabilities, commands: readonly string[]): readonly string[] {
  if (may.mayRunShell || !may.mayRunQuality) return [];
  if (matchesByBeginning(cli)) return commands;
  return findCli(cli)?.profile?.commandLists === 'whole lines' ? commands.filter((command) => !isPlainCommand(command)) : [];
}

/** Over the protocol any agent can be told of servers; most start them (copilot did not). */
function attachAcp({ server: { command, args } }: EmitAttachOrder): AttachedTool {
  return { ...NO_ATTACHED_TOOL, servers: [{ name: EMIT_SERVER, command, args }] };
}

/** Plans how an agent without a profile is started with the tool `emit_event`: its own arguments, and those of the tool. Pure. */
export function planOpenScope(order: Pick<ScopeOrder, 'cli' | 'args' | 'permissions' | 'env' | 'attach'>): ScopePlan {
  const { cli, args, permissions, env, attach } = order;
  const own = attach ?? NO_ATTACHED_TOOL;
  // Where the CLI asks before it uses a tool, this one is allowed. Those that say nothing of it say it in the server's own entry, or ask nobody.
  const more = findCli(cli)?.emitTool?.open?.(own, { env, isAsked: permissions === 'default' });
  return {
    args: [...args, ...own.args, ...(more?.args ?? [])],
    env: { ...own.env, ...more?.env },
    files: own.files,
    settings: [],
    permissions,
    prompt: 'stdin',
    limits: [],
  };
}
