import type { CliDescription } from '../description.ts';
import { addFlags, findFlagValue, flag, withoutSwitch } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';
import { textAt } from '../json-fields.ts';
import { SHORT_TOKENS } from '../state-folder.ts';
import { MOCK_CLIENT, PROBE } from './mock-client.ts';
import { attachPi, scopePi } from './scope.ts';
import { createPiTranslator } from './translate.ts';

/** pi. */
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
  mockClient: MOCK_CLIENT,
  probe: PROBE,
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
