import { expect, it } from 'vitest';
import { withoutSecrets } from './known-secrets.ts';
import { withOwnLogins } from './safe-runs.ts';

const ENV = {
  PATH: '/usr/bin',
  LANG: 'C',
  ANTHROPIC_API_KEY: 'sk-ant-0123456789abcdef',
  OPENAI_API_KEY: 'sk-0123456789abcdefgh',
  GITHUB_TOKEN: 'ghp_0123456789abcdefgh',
  AWS_SECRET_ACCESS_KEY: 'abcdefghijklmnop1234',
  NPM_TOKEN: 'npm_0123456789abcdefgh',
  MY_MODEL_KEY: 'key-0123456789abcdefgh',
  ODD: 'a1b2c3d4e5f6g7h8',
};

it.each([
  ['claude', [], ['ANTHROPIC_API_KEY']],
  ['codex', [], ['OPENAI_API_KEY']],
  ['copilot', [], ['GITHUB_TOKEN']],
  ['opencode', [], ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']],
  ['native', ['MY_MODEL_KEY'], ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'MY_MODEL_KEY']],
] as const)('%s of a safe run gets the keys that it signs in with, and those named for it %j', (type, named, keys) => {
  expect(Object.keys(withOwnLogins(ENV, { type }, named))).toEqual(['PATH', 'LANG', ...keys]);
});

it('gates of a safe run get no secret', () => {
  expect(Object.keys(withoutSecrets(ENV))).toEqual(['PATH', 'LANG']);
});
