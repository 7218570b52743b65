import type { CliDescriptor } from '../invocation.ts';
import { planCline } from './argv.ts';

/** Cline. */
export const cline: CliDescriptor = {
  type: 'cline',
  title: 'Cline',
  command: 'cline',
  verified: true,
  takes: ['arg', 'file'],
  isPromptPositional: true,
  plan: planCline,
  signIn: {
    envKeys: ['CLINE_API_KEY'],
    folder: '.cline/data',
    files: ['settings/providers.json', 'secrets.json'],
  },
  install: 'npm install -g cline',
};
