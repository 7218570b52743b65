import { expect, it } from 'vitest';
import { toShownArgv } from './cli-backend.ts';

it('a shown command line holds neither the prompt nor secrets', () => {
  const prompt = 'Do the very first thing, then stop.';
  expect(toShownArgv('agent', ['--api-key', 'sk-1', '--auth-token=t', '--model', 'm', `--prompt=${prompt}`, prompt], prompt)).toEqual([
    'agent',
    '--api-key',
    '<secret>',
    '--auth-token=<secret>',
    '--model',
    'm',
    '--prompt=<prompt>',
    '<prompt>',
  ]);
});
