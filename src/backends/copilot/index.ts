import type { CliDescriptor } from '../invocation.ts';
import { planCopilot } from './argv.ts';

/** GitHub Copilot CLI. */
export const copilot: CliDescriptor = {
  type: 'copilot',
  title: 'GitHub Copilot CLI',
  command: 'copilot',
  verified: true,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planCopilot,
  signIn: {
    envKeys: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
    folder: '.copilot',
    folderKey: 'COPILOT_HOME',
    files: ['config.json'],
    hasKeychain: true,
  },
  install: 'npm install -g @github/copilot',
};
