import type { CliDescriptor } from '../invocation.ts';
import { planAuggie } from './argv.ts';

/** Auggie. */
export const auggie: CliDescriptor = {
  type: 'auggie',
  title: 'Auggie',
  command: 'auggie',
  verified: true,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planAuggie,
  losesPath: true,
  signIn: {
    envKeys: ['AUGMENT_SESSION_AUTH', 'AUGMENT_API_TOKEN'],
    folder: '.augment',
    files: ['session.json'],
  },
  install: 'npm install -g @augmentcode/auggie',
};
