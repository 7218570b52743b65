import type { CliDescriptor } from '../invocation.ts';
import { planOpencode } from './argv.ts';

/** opencode. */
export const opencode: CliDescriptor = {
  type: 'opencode',
  title: 'opencode',
  command: 'opencode',
  verified: true,
  // An argument it quotes and escapes before its model reads it. Tried with 1.18.
  takes: ['stdin', 'arg'],
  isPromptPositional: true,
  plan: planOpencode,
  signIn: {
    envKeys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_CONFIG_CONTENT', 'OPENCODE_CONFIG'],
    folder: '',
    files: ['.local/share/opencode/auth.json', '.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'],
  },
  install: 'npm install -g opencode-ai',
};
