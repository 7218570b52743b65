import type { BackendType } from '../core/index.ts';
import { type EventPlace, readOffer } from '../emit/index.ts';
import { createEmitEventTool } from '../mcp/index.ts';
import { type AttachedTool, planEmitAttach } from '../sandbox/index.ts';

/** A turn that wants the tool `emit_event`. */
export interface EmitAttachment {
  readonly cli: BackendType;
  /** Absolute path of an executable `ralph`. */
  readonly command: string;
  readonly place: EventPlace;
  /** Leave out the user's own MCP servers, as far as the CLI can be told. */
  readonly isAlone: boolean;
}

/** Plans the tool for one turn, given its private folder; `null` for CLIs to which it cannot be attached. */
export function attachEmit({ cli, command, place, isAlone }: EmitAttachment, folder: string): AttachedTool | null {
  const { eventsFile, contractFile, hat } = place;
  const contract = contractFile === null ? [] : ['--contract', contractFile];
  const server = { command, args: ['mcp', '--hat', hat, '--events', eventsFile, ...contract] };
  const { description, inputSchema } = createEmitEventTool(readOffer(place), () => '');
  return planEmitAttach({ cli, server, tool: { description, inputSchema }, folder, isAlone });
}
