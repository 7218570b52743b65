import type { AttachedTool, ServerToolText } from '../backends/describe/scope-plan.ts';
import type { BackendType } from '../core/backends/backend-spec.ts';
import { HAND_IN_TOOLS, type HandInTool, SERVER_TOOLS, type ServerTool } from '../core/tools/server-tools.ts';
import type { EventPlace } from '../emit/contract-file.ts';
import { readOffer } from '../emit/read-offer.ts';
import { createAskPersonTool } from '../mcp/ask-person-tool.ts';
import { createEmitEventTool } from '../mcp/emit-event-tool.ts';
import { createNewAnswerTool, createVoteTool, type HandIn, type HandOffer } from '../mcp/hand-in-tools.ts';
import { createListHatsTool } from '../mcp/list-hats-tool.ts';
import type { McpTool } from '../mcp/mcp-tool.ts';
import { createReadEventsTool } from '../mcp/read-events-tool.ts';
import { planEmitAttach } from '../sandbox/plan-scope.ts';

/** A turn that wants the tool `emit_event`. */
export interface EmitAttachment {
  readonly cli: BackendType;
  /** Absolute path of an executable `ralph`. */
  readonly command: string;
  readonly place: EventPlace;
  /** Leave out the user's own MCP servers, as far as the CLI can be told. */
  readonly isAlone: boolean;
  /** What it offers beside `emit_event`. */
  readonly tools: readonly ServerTool[];
  /** Command lines for the tool `run_check`, and the absolute path of the folder they run in. */
  readonly checks: readonly string[];
  readonly folder: string;
}

/** Plans the tool for one turn, given its private folder; `null` for CLIs to which it cannot be attached. */
export function attachEmit(
  { cli, command, place, isAlone, tools, checks, folder: cwd }: EmitAttachment,
  folder: string,
): AttachedTool | null {
  const { eventsFile, contractFile, hat } = place;
  const contract = contractFile === null ? [] : ['--contract', contractFile];
  // Joined by `=`, so that a command is taken for no flag.
  const runs = checks.length === 0 ? [] : [`--folder=${cwd}`, ...checks.map((line) => `--check=${line}`)];
  const offered = SERVER_TOOLS.filter((name) => name === 'emit_event' || tools.includes(name));
  const named = offered.length === 1 ? [] : ['--tools', offered.join(',')];
  const server = { command, args: ['mcp', '--hat', hat, '--events', eventsFile, ...contract, ...named, ...runs] };
  return planEmitAttach({ cli, server, tools: offered.map((name) => toText(name, place)), folder, isAlone, checks });
}

/** A round of a panel whose agent gets the tools that hand in. */
export interface HandAttachment extends Pick<EmitAttachment, 'cli' | 'command' | 'isAlone'> {
  /** Where the round is written down, and what it says. */
  readonly roundFile: string;
  readonly offer: HandOffer;
}

/** Plans the tools for one round, given a private folder of its own; `null` for CLIs to which they cannot be attached. */
export function attachHandIn({ cli, command, roundFile, offer, isAlone }: HandAttachment, folder: string): AttachedTool | null {
  const tools = HAND_IN_TOOLS.flatMap((name) => {
    const tool = HAND_INS[name](offer, neverCalled);
    return tool === null ? [] : [{ name, description: tool.description, inputSchema: tool.inputSchema }];
  });
  const server = { command, args: ['mcp', '--round', roundFile] };
  return planEmitAttach({ cli, server, tools, folder, isAlone, checks: [] });
}

/** The tools as the server makes them, for what is told of them; none of these is called. */
const TOOLS: Readonly<Record<ServerTool, (place: EventPlace) => McpTool>> = {
  emit_event: (place) => createEmitEventTool(readOffer(place), () => ''),
  ask_person: () => createAskPersonTool(neverCalled),
  list_hats: ({ hat }) => createListHatsTool(hat, () => null),
  read_events: () => createReadEventsTool(() => []),
};

const HAND_INS: Readonly<Record<HandInTool, (offer: HandOffer, handIn: HandIn) => McpTool | null>> = {
  new_answer: createNewAnswerTool,
  vote: createVoteTool,
};

function neverCalled(): Promise<never> {
  return Promise.reject(new Error('never called'));
}

function toText(name: ServerTool, place: EventPlace): ServerToolText {
  const { description, inputSchema } = TOOLS[name](place);
  return { name, description, inputSchema };
}
