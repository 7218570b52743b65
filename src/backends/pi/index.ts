import { type CliDescription, MOCK_PRICE, SHORT_TOKENS } from '../describe/description.ts';
import { addFlags, findFlagValue, flag, withoutSwitch } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';
import { textAt } from '../stream/read-fields.ts';
import { attachPi, scopePi } from './scope.ts';
import { createPiTranslator } from './translate.ts';

export const pi: CliDescription = {
  type: 'pi',
  title: 'pi',
  command: 'pi',
  install: 'npm install -g @mariozechner/pi-coding-agent',
  tried: { package: '@mariozechner/pi-coding-agent', version: '0.73.1' },
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planPi,
  stream: {
    create: createPiTranslator,
    begins: (first) => ['session', 'agent_start'].includes(textAt(first, 'type')),
  },
  signIn: {
    envKeys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
    folder: '.pi/agent',
    files: ['auth.json', 'models.json'],
  },
  state: [
    {
      folder: '.pi/agent',
      folderKey: 'PI_CODING_AGENT_DIR',
      login: ['auth.json'],
      tokens: SHORT_TOKENS,
      copies: ['models.json', 'settings.json', 'AGENTS.md', 'SYSTEM.md'],
      folders: ['bin', 'extensions', 'prompts', 'skills', 'themes', 'tools'],
    },
  ],
  ownChanges: { renamed: ['.pi/commands', '.pi/prompts'] },
  profile: { scope: scopePi, commandLists: 'none' },
  emitTool: { attach: attachPi },
  mockClient: {
    model: 'mock-model',
    args: ['--provider', 'mock'],
    toSettings: ({ port }) => ({
      env: { MOCK_API_KEY: 'sk-mock', PI_OFFLINE: '1', PI_TELEMETRY: '0' },
      files: { '.pi/agent/models.json': JSON.stringify(toModels(port)) },
    }),
  },
  probe: {
    tools: { write: 'write', shell: 'bash', emit: 'emit_event' },
    toPlants: (mark) => ({
      '.pi/settings.json': JSON.stringify({ shellCommandPrefix: `touch ${mark}`, npmCommand: ['touch', mark], packages: ['npm:probe'] }),
      // A folder of an older version, which pi gives its new name.
      '.pi/commands/probe.md': 'Look around.\n',
      '.pi/extensions/probe.ts': `import { writeFileSync } from 'node:fs';\nexport default () => writeFileSync(${JSON.stringify(mark)}, '');\n`,
    }),
  },
};

/** `pi -p --mode json PROMPT`. It has no permissions: it always runs its tools. */
function planPi({ spec, prompt, place }: InvocationOrder): Invocation {
  const user = withoutSwitch(spec.args, '-p', '--print');
  const format = findFlagValue(user, '--mode') ?? 'json';
  const ours = addFlags(user, flag(['--model'], spec.model), flag(['-p']), flag(['--mode'], 'json'));
  return {
    command: spec.command ?? 'pi',
    args: [...user, ...ours, ...(place === 'arg' ? [prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    format: format === 'json' ? 'pi' : 'text',
    warnings: spec.agent === undefined ? [] : ['pi has no agents: `agent` is ignored'],
  };
}

function toModels(port: number): unknown {
  const model = {
    id: 'mock-model',
    name: 'mock',
    reasoning: false,
    input: ['text'],
    cost: MOCK_PRICE,
    contextWindow: 128_000,
    maxTokens: 8_192,
  };
  return {
    providers: { mock: { baseUrl: `http://127.0.0.1:${port}/v1`, api: 'openai-completions', apiKey: 'MOCK_API_KEY', models: [model] } },
  };
}
