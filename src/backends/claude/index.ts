import type { CliDescriptor } from '../invocation.ts';
import { planClaude } from './argv.ts';

/** Claude Code. */
export const claude: CliDescriptor = {
  type: 'claude',
  title: 'Claude Code',
  command: 'claude',
  verified: true,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planClaude,
  signIn: {
    envKeys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
    folder: '.claude',
    folderKey: 'CLAUDE_CONFIG_DIR',
    files: ['.credentials.json'],
    settings: ['settings.json'],
  },
  install: 'npm install -g @anthropic-ai/claude-code',
};
