import type { CliDescriptor } from '../invocation.ts';
import { planQwen } from './argv.ts';

/** Qwen Code. */
export const qwen: CliDescriptor = {
  type: 'qwen',
  title: 'Qwen Code',
  command: 'qwen',
  verified: true,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planQwen,
  signIn: {
    envKeys: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'QWEN_API_KEY'],
    folder: '.qwen',
    files: ['oauth_creds.json'],
    settings: ['settings.json', '.env'],
  },
  install: 'npm install -g @qwen-code/qwen-code',
};
