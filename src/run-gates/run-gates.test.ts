import { describe, expect, it } from 'vitest';
import { toGateGuard } from './run-gates.ts';

const KEY = 'made-up-model-key-4711';
const SERVER = {
  ...{ name: 'docs', args: [], env: { ROOM: 'abcdef0123456789xyz', NODE_ENV: 'production' }, tokenEnv: 'DOCS_DOOR' },
  ...{ tools: null, trustsAnnotations: false, timeoutMs: 1000 },
};
const NATIVE = { type: 'native', args: [], env: {}, native: { provider: 'openai', apiKeyEnv: 'MY_MODEL' } };
const settings = { mcpServers: [SERVER], backends: { builder: [NATIVE] } } as unknown as Parameters<typeof toGateGuard>[0];
const env = {
  PATH: '/bin',
  DATABASE_URL: 'postgres://u:hunter2hunter2@db/x',
  ANTHROPIC_API_KEY: KEY,
  MY_MODEL: 'my-own-name-1234',
  DOCS_DOOR: 'door-open-12345',
};

describe('what a gate runs with', () => {
  it('has everything but the keys of models and the tokens of servers', () => {
    expect(toGateGuard(settings, env).env).toEqual({ PATH: '/bin', DATABASE_URL: env.DATABASE_URL });
  });
});

describe('what a gate shows', () => {
  const { redact } = toGateGuard(settings, env);
  it.each([
    ['the key of a model', KEY],
    ['a key under a name of the user', env.MY_MODEL],
    ['the token of a server', env.DOCS_DOOR],
    ['what a server is given', SERVER.env.ROOM],
    ['a password', 'hunter2hunter2'],
  ])('has no longer %s in it', (_, secret) => {
    expect(redact(`it is ${secret} here`)).toMatch(/^it is \[redacted: .+\] here$/);
  });

  it('keeps plain words that a server is given', () => {
    expect(redact('NODE_ENV is production')).toBe('NODE_ENV is production');
  });
});
