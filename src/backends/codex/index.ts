import type { CliDescriptor } from '../invocation.ts';
import { planCodex } from './argv.ts';

/** OpenAI Codex. */
export const codex: CliDescriptor = {
  type: 'codex',
  title: 'OpenAI Codex',
  command: 'codex',
  verified: true,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planCodex,
  signIn: {
    envKeys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    folder: '.codex',
    folderKey: 'CODEX_HOME',
    files: ['auth.json'],
    settings: ['config.toml'],
  },
  install: 'npm install -g @openai/codex',
};
