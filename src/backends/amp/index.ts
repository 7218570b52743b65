import type { CliDescriptor } from '../invocation.ts';
import { planAmp } from './argv.ts';

/** Amp. Built from its documentation: its agent runs on the vendor's servers, so it could not be tried. */
export const amp: CliDescriptor = {
  type: 'amp',
  title: 'Amp',
  command: 'amp',
  verified: false,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planAmp,
  signIn: {
    envKeys: ['AMP_API_KEY'],
    folder: '.local/share/amp',
    files: ['secrets.json'],
  },
  install: 'npm install -g @sourcegraph/amp',
};
