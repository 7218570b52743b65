import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toProgramEnvironment } from './program-environment.ts';

it('keeps what programs need, and leaves out what opens a door', () => {
  const env = { PATH: '/bin', LC_ALL: 'C', GOPATH: '/go', RALPH_HAT: 'x', OPENAI_API_KEY: 'k', DATABASE_URL: 'd', UV_INDEX_PASSWORD: 'p' };
  const made = toProgramEnvironment({ env });
  expect(made).toMatchObject({ PATH: '/bin', LC_ALL: 'C', GOPATH: '/go', RALPH_HAT: 'x', TERM: 'dumb' });
  expect(Object.keys(made)).not.toEqual(expect.arrayContaining(['OPENAI_API_KEY']));
  expect(made).not.toHaveProperty('DATABASE_URL');
  expect(made).not.toHaveProperty('UV_INDEX_PASSWORD');
});

it('hands on what the person names, even if it looks like a secret', () => {
  const env = { NPM_TOKEN: 't', MY_A: '1', MY_B: '2', OTHER: '3' };
  expect(toProgramEnvironment({ env, passEnv: ['NPM_TOKEN', 'MY_*'] })).toMatchObject({ NPM_TOKEN: 't', MY_A: '1', MY_B: '2' });
});

it('never hands on a name that it was not told of', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Z]{1,12}_(?:KEY|TOKEN|SECRET|PASSWORD)$/),
      (name) => !(name in toProgramEnvironment({ env: { [name]: 'x' } })),
    ),
  );
});
