import type { CliDescriptor } from '../invocation.ts';
import { planKiro } from './argv.ts';

/** Kiro CLI. Built from its documentation: it could not be tried. */
export const kiro: CliDescriptor = {
  type: 'kiro',
  title: 'Kiro CLI',
  command: 'kiro-cli',
  verified: false,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planKiro,
  signIn: {
    envKeys: ['KIRO_API_KEY'],
    folder: '.local/share/kiro-cli',
    files: ['data.sqlite3'],
  },
  install: 'see https://kiro.dev/docs/cli',
};
