import { resolve } from 'node:path';
import { SERVER_TOOLS, type ServerTool } from '../../core/tools/server-tools.ts';
import type { EventPlace } from '../../emit/contract-file.ts';
import type { HandRound } from '../../emit/hand-file.ts';
import type { AskReply, AskRequest } from '../../mcp/ask-person-tool.ts';
import type { EmitRequest } from '../../mcp/emit-event-tool.ts';
import type { HandIn } from '../../mcp/hand-in-tools.ts';
import type { McpServer, McpTool } from '../../mcp/mcp-tool.ts';
import type { CheckEnd } from '../../mcp/run-check-tool.ts';
import { addExamples } from '../args/help.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';

/** `ralph mcp`, what agent CLIs start. */
export const mcpCommand: CliCommand = {
  declare: (command) => {
    command
      .option('--events <file>', 'the file that events are appended to; default: RALPH_EVENTS_FILE')
      .option('--contract <file>', 'the file that says what the hat may publish; default: RALPH_CONTRACT')
      .option('--hat <hat>', 'the hat that publishes; default: RALPH_HAT')
      .option(
        '--tools <list>',
        `the tools to offer, separated by commas; emit_event is always offered: ${SERVER_TOOLS.join(', ')}`,
        'emit_event',
      )
      .option('--check <command...>', 'commands that check the project; the tool run_check offers each exactly as given')
      .option('--round <file>', 'instead of all these: the tools with which an agent of a panel hands in, for the round in this file')
      .option('--folder <folder>', 'the folder in which checks run', '.');
    addExamples(command, [
      ['ralph mcp', 'in the turn of an agent, over standard input and output'],
      ['ralph mcp --hat critic --events .agent/events.jsonl', 'for a client that passes no environment on'],
      ['ralph mcp --tools emit_event,ask_person', 'for an agent that may ask people'],
      ["ralph mcp --check 'npm test' 'npm run lint'", 'for an agent without a shell'],
    ]);
  },
  perform: async (context, { options }) => {
    const { serveMessages } = await import('../../mcp/index.ts');
    const end = new AbortController();
    const offered = options['round'] === undefined ? await offerTools(context, options, end.signal) : await offerHandIns(options['round']);
    const server = { name: 'ralph', version: RALPH_VERSION, ...offered };
    const complain = (line: string): void => context.terminal.err(`ralph mcp: ${line}\n`);
    await serveMessages(server, { input: process.stdin, output: process.stdout, complain });
    // What is asked and not answered: nobody is left who would hear it.
    end.abort();
    return 0;
  },
};

type McpOffer = Pick<McpServer, 'tools' | 'instructions'>;

async function offerTools(context: AppContext, options: CommandCall['options'], signal: AbortSignal): Promise<McpOffer> {
  const { findEventPlace } = await import('../../emit/index.ts');
  const place = findEventPlace(toTurn(context, options));
  if (place === null)
    throw createUsageError('This is no turn of an agent: it is not known where events go, or whose they are.', toAdvice());
  const tools = await createTools(context, { place, options, names: parseTools(options['tools']), signal });
  return { tools, instructions: toInstructions(place) };
}

/** An agent of a panel publishes nothing: it hands in. */
async function offerHandIns(file: unknown): Promise<McpOffer> {
  const [emit, mcp] = await Promise.all([import('../../emit/index.ts'), import('../../mcp/index.ts')]);
  const round: HandRound = emit.requireHandRound({ [emit.HAND_VARIABLE]: String(file) });
  const handIn: HandIn = (request, signal) => emit.handIn(request, round, signal);
  const tools = [mcp.createNewAnswerTool(round, handIn), mcp.createVoteTool(round, handIn)].filter((tool) => tool !== null);
  return { tools, instructions: 'Hands in what this agent answers and votes.' };
}

/** Where the turn is, as the environment of an agent says it. */
function toTurn({ env }: AppContext, options: CommandCall['options']) {
  return {
    RALPH_EVENTS_FILE: toWord(options['events'], env['RALPH_EVENTS_FILE']),
    RALPH_CONTRACT: toWord(options['contract'], env['RALPH_CONTRACT']),
    RALPH_HAT: toWord(options['hat'], env['RALPH_HAT']),
  };
}

interface ToolsOrder {
  readonly place: EventPlace;
  readonly options: CommandCall['options'];
  readonly names: readonly ServerTool[];
  /** The client has gone. */
  readonly signal: AbortSignal;
}

async function createTools(context: AppContext, { place, options, names, signal }: ToolsOrder): Promise<readonly McpTool[]> {
  const [emit, mcp] = await Promise.all([import('../../emit/index.ts'), import('../../mcp/index.ts')]);
  const turn = toTurn(context, options);
  const publish = (request: EmitRequest): string => emit.toCutText(emit.emitInto(toWords(request), place)).trimEnd();
  const ask = (request: AskRequest): Promise<AskReply> => emit.askPeople(request, turn, signal);
  const create: Readonly<Record<ServerTool, () => McpTool>> = {
    emit_event: () => mcp.createEmitEventTool(emit.readOffer(place), publish),
    ask_person: () => mcp.createAskPersonTool(ask),
    list_hats: () => mcp.createListHatsTool(place.hat, () => emit.readHats(place)),
    read_events: () => mcp.createReadEventsTool(({ topic, last }) => emit.readEvents(place, topic, last)),
  };
  const checks = toList(options['check']);
  // The folder is where agents work; what runs there comes from the configuration.
  const cwd = resolve(context.cwd, toWord(options['folder'], '.') ?? '.');
  const run = async (line: string): Promise<CheckEnd> => (await context.loadApp()).runCheck(line, { cwd, env: context.env });
  return [...names.map((name) => create[name]()), ...(checks.length === 0 ? [] : [mcp.createRunCheckTool(checks, run)])];
}

/** Throws a usage error that lists the tools where one of the names is none. */
function parseTools(option: unknown): readonly ServerTool[] {
  const named = String(option)
    .split(',')
    .flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  const unknown = named.find((name) => !SERVER_TOOLS.some((known) => known === name));
  if (unknown !== undefined)
    throw createUsageError(`There is no tool ${JSON.stringify(unknown.slice(0, 40))}.`, `Tools: ${SERVER_TOOLS.join(', ')}`);
  return SERVER_TOOLS.filter((known) => known === 'emit_event' || named.includes(known));
}

function toList(option: unknown): readonly string[] {
  return Array.isArray(option) ? option.filter((word) => typeof word === 'string') : [];
}

function toWord(option: unknown, fallback: string | undefined): string | undefined {
  return typeof option === 'string' ? option : fallback;
}

function toWords({ topic, payload, target }: EmitRequest): Parameters<typeof import('../../emit/index.ts')['emitInto']>[0] {
  const isText = typeof payload === 'string';
  return {
    topic,
    payload: isText ? payload : JSON.stringify(payload),
    json: !isText,
    ...(target !== undefined && { target }),
  };
}

function toInstructions({ hat }: EventPlace): string {
  return `Publishes the events of the hat ${hat} to the orchestrator that started this agent.`;
}

function toAdvice(): string {
  return 'Ralph attaches it to the agents that it starts. By hand: ralph mcp --hat critic --events .agent/events.jsonl';
}
