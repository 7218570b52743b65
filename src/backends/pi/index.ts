import type { CliDescriptor } from '../invocation.ts';
import { planPi } from './argv.ts';

/** pi. */
export const pi: CliDescriptor = {
  type: 'pi',
  title: 'pi',
  command: 'pi',
  verified: true,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planPi,
  signIn: {
    envKeys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
    folder: '.pi/agent',
    files: ['auth.json', 'models.json'],
  },
  install: 'npm install -g @mariozechner/pi-coding-agent',
};
