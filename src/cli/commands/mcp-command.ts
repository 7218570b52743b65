import { resolve } from 'node:path';
import type { EventPlace } from '../../emit/index.ts';
import type { CheckEnd, EmitRequest } from '../../mcp/index.ts';
import { addExamples } from '../args/help.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-context.ts';

/** `ralph mcp`, what agent CLIs start. */
export const mcpCommand: CliCommand = {
  declare: (command) => {
    command
      .option('--events <file>', 'the file that events are appended to; default: RALPH_EVENTS_FILE')
      .option('--contract <file>', 'the file that says what the hat may publish; default: RALPH_CONTRACT')
      .option('--hat <hat>', 'the hat that publishes; default: RALPH_HAT')
      .option('--check <command...>', 'commands that check the project; the tool run_check offers each exactly as given')
      .option('--folder <folder>', 'the folder in which checks run', '.');
    addExamples(command, [
      ['ralph mcp', 'in the turn of an agent, over standard input and output'],
      ['ralph mcp --hat critic --events .agent/events.jsonl', 'for a client that passes on no environment'],
      ["ralph mcp --check 'npm test' 'npm run lint'", 'for an agent without a shell'],
    ]);
  },
  perform: async ({ cwd, env, terminal, loadApp }, { options }) => {
    const [{ emitInto, findTurn, readOffer, toCutText }, { createEmitEventTool, createRunCheckTool, serveMessages }] = await Promise.all([
      import('../../emit/index.ts'),
      import('../../mcp/index.ts'),
    ]);
    const place = findTurn({
      RALPH_EVENTS_FILE: toWord(options['events'], env['RALPH_EVENTS_FILE']),
      RALPH_CONTRACT: toWord(options['contract'], env['RALPH_CONTRACT']),
      RALPH_HAT: toWord(options['hat'], env['RALPH_HAT']),
    });
    if (place === null)
      throw createUsageError('This is no turn of an agent: it is not known where events go, or whose they are.', toAdvice());
    const publish = (request: EmitRequest): string => toCutText(emitInto(toWords(request), place)).trimEnd();
    const checks = toList(options['check']);
    // The folder is where agents work; what runs there comes from the configuration.
    const run = async (line: string): Promise<CheckEnd> =>
      (await loadApp()).runCheck(line, { cwd: resolve(cwd, toWord(options['folder'], '.') ?? '.'), env });
    const server = {
      name: 'ralph',
      version: RALPH_VERSION,
      instructions: toInstructions(place),
      tools: [createEmitEventTool(readOffer(place), publish), ...(checks.length === 0 ? [] : [createRunCheckTool(checks, run)])],
    };
    const complain = (line: string): void => terminal.err(`ralph mcp: ${line}\n`);
    await serveMessages(server, { input: process.stdin, output: process.stdout, complain });
    return 0;
  },
};

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
