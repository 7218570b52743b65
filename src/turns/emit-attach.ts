import type { AttachedTool } from '../backends/index.ts';
import type { BackendType } from '../core/backends/backend-spec.ts';
import { type EventPlace, readOffer } from '../emit/index.ts';
import { createEmitEventTool } from '../mcp/index.ts';
import { planEmitAttach } from '../sandbox/index.ts';

/** A turn that wants the tool `emit_event`. */
export interface EmitAttachment {
  readonly cli: BackendType;
  /** Absolute path of an executable `ralph`. */
  readonly command: string;
  readonly place: EventPlace;
  /** Leave out the user's own MCP servers, as far as the CLI can be told. */
  readonly isAlone: boolean;
  /** Command lines for the tool `run_check`, and the absolute path of the folder they run in. */
  readonly checks: readonly string[];
  readonly folder: string;
}

/** Plans the tool for one turn, given its private folder; `null` for CLIs to which it cannot be attached. */
export function attachEmit({ cli, command, place, isAlone, checks, folder: cwd }: EmitAttachment, folder: string): AttachedTool | null {
  const { eventsFile, contractFile, hat } = place;
  const contract = contractFile === null ? [] : ['--contract', contractFile];
  // Joined by `=`, so that a command is taken for no flag.
  const runs = checks.length === 0 ? [] : [`--folder=${cwd}`, ...checks.map((line) => `--check=${line}`)];
  const server = { command, args: ['mcp', '--hat', hat, '--events', eventsFile, ...contract, ...runs] };
  const { description, inputSchema } = createEmitEventTool(readOffer(place), () => '');
  return planEmitAttach({ cli, server, tool: { description, inputSchema }, folder, isAlone, checks });
}
