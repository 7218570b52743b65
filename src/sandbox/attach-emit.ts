import { type AttachedTool, EMIT_SERVER, type EmitAttachOrder, findCli, isPlainCommand, NO_ATTACHED_TOOL } from '../backends/index.ts';
import type { BackendType, Capabilities } from '../core/index.ts';

/**
 * How the tool `emit_event` is attached to one turn of an agent, without touching the user's own configuration. Pure.
 *
 * @returns `null` for those that cannot: there an event is a signal in the text, or a line in the file
 */
export function planEmitAttach(order: EmitAttachOrder): AttachedTool | null {
  return order.cli === 'acp' ? attachAcp(order) : (findCli(order.cli)?.emitTool?.attach(order) ?? null);
}

/** Whether the tool can be attached to this agent. */
export function canAttachEmit(cli: BackendType): boolean {
  return cli === 'acp' || findCli(cli)?.emitTool !== undefined;
}

/** Whether a list of allowed commands means something else to the CLI than these commands and nothing more. */
export function matchesByBeginning(cli: BackendType): boolean {
  return findCli(cli)?.profile?.commandLists === 'beginnings';
}

/** The commands that a hat which may check, and has no shell, gets by the tool `run_check`: those that its CLI cannot be told to let through exactly. */
export function listToolChecks(cli: BackendType, may: Capabilities, commands: readonly string[]): readonly string[] {
  if (may.mayRunShell || !may.mayRunQuality) return [];
  if (matchesByBeginning(cli)) return commands;
  return findCli(cli)?.profile?.commandLists === 'whole lines' ? commands.filter((command) => !isPlainCommand(command)) : [];
}

/** Over the protocol any agent can be told of servers; most start them (copilot did not). */
function attachAcp({ server: { command, args } }: EmitAttachOrder): AttachedTool {
  return { ...NO_ATTACHED_TOOL, servers: [{ name: EMIT_SERVER, command, args }] };
}
