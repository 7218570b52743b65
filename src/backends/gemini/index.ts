import type { CliDescriptor } from '../invocation.ts';
import { planGemini } from './argv.ts';

/** Gemini CLI. */
export const gemini: CliDescriptor = {
  type: 'gemini',
  title: 'Gemini CLI',
  command: 'gemini',
  verified: true,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planGemini,
  signIn: {
    envKeys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_APPLICATION_CREDENTIALS'],
    folder: '.gemini',
    files: ['oauth_creds.json', 'google_accounts.json'],
    settings: ['settings.json', '.env'],
  },
  install: 'npm install -g @google/gemini-cli',
};
