import { describe, expect, it } from 'vitest';
import { findingsOf, loadText } from '../config-fixtures.ts';

const hat = (rest: string): string => `hats: {a: {triggers: [x], ${rest}}}`;

describe('profile-unknown', () => {
  it.each(['explorer', 'planner', 'creator', 'critic', 'editor'])('knows %s', (profile) => {
    expect(findingsOf(hat(`profile: ${profile}`))).toEqual([]);
    expect(findingsOf(`ralph: {profile: ${profile}}`)).toEqual([]);
  });

  it('knows those that the configuration defines', () => {
    expect(findingsOf(`profiles: {careful: {allow: [fs], deny: [git_push], require_read_only: true}}\n${hat('profile: careful')}`)).toEqual(
      [],
    );
  });

  it('refuses any other at its name, with what was probably meant', () => {
    expect(findingsOf(hat('profile: wizard'))).toEqual(['error profile-unknown wizard']);
    expect(findingsOf('ralph: {profile: wizard}')).toEqual(['error profile-unknown wizard']);
    expect(loadText(hat('profile: explorr')).diagnostics).toMatchObject([
      {
        message: 'There is no profile "explorr": did you mean `explorer`?',
        hats: ['a'],
        repairs: [{ isSafe: true, change: { kind: 'replace', text: 'explorer' } }],
      },
    ]);
  });

  it('is silent where the profiles themselves are wrong', () => {
    expect(findingsOf(`profiles: {careful: {allow: {}}}\n${hat('profile: other')}`)).toEqual(['error type-invalid {}']);
    expect(findingsOf('profiles: {careful: {alow: [fs]}}')).toEqual(['error key-unknown alow']);
  });

  it('minds the profile that another one begins with', () => {
    expect(findingsOf('profiles: {a: {extends: explorer, allow: [quality]}}')).toEqual([]);
    expect(findingsOf('profiles: {a: {extends: explorr}}')).toContain('error profile-unknown explorr');
  });
});

describe('cost-unknown', () => {
  const limit = 'event_loop: {max_cost_usd: 5}';

  it('warns at the limit where an agent tells neither cost nor tokens', () => {
    expect(findingsOf(`${limit}\ncli: {backend: amp}`)).toEqual(['warning cost-unknown 5']);
    expect(findingsOf(`${limit}\ncli: {backend: claude}\n${hat('backend: {command: ./agent.sh}')}`)).toEqual(['warning cost-unknown 5']);
    const [finding] = loadText(`${limit}\ncli: {backend: claude}\n${hat('backend: kiro')}`).diagnostics;
    expect(finding).toMatchObject({ hats: ['a'], related: [{ line: 3, message: '"kiro" is named here.' }] });
    expect(finding?.message).toBe('The limit cannot hold "kiro": the cost is not known.');
    expect(finding?.fix).not.toContain('prices');
    expect(loadText(`${limit}\ncli: {backend: codex, model: gpt-6}`).diagnostics[0]?.fix).toContain('prices:\n  gpt-6: {input');
  });

  it('warns where tokens have no price', () => {
    expect(findingsOf(`${limit}\ncli: {backend: codex}`)).toEqual(['warning cost-unknown 5']);
    expect(findingsOf(`${limit}\ncli: {backend: codex, model: gpt-6}`)).toEqual(['warning cost-unknown 5']);
    expect(findingsOf(`${limit}\ncli: {backend: codex, model: gpt-6}\nprices: {gpt-7: {input: 1, output: 2}}`)).toEqual([
      'warning cost-unknown 5',
    ]);
  });

  it.each([
    'cli: {backend: claude}',
    'cli: {backend: codex, model: gpt-6}\nprices: {gpt-6: {input: 1, output: 2}}',
    'cli: {backend: codex}\nprices: {gpt-6: {input: 1, output: 2}}',
    'cli: {command: ./agent.sh, output_format: stream}',
    'cli: {backend: auto}',
    '',
  ])('is silent with `%s`', (rest) => {
    expect(findingsOf(`${limit}\n${rest}`)).toEqual([]);
  });

  it('is silent without a limit, and where nobody wears the agent', () => {
    expect(findingsOf('cli: {backend: amp}')).toEqual([]);
    expect(findingsOf(`${limit}\ncli: {backend: amp}\nralph: {backend: claude}\n${hat('backend: claude')}`)).toEqual([]);
  });
});

describe('default-publishes-unlisted', () => {
  it('mends a slip of the pen, and leaves the rest to its author', () => {
    const repairsOf = (yaml: string) =>
      loadText(yaml).diagnostics.flatMap(({ repairs = [] }) => repairs.map((repair) => [repair.isSafe, repair.change]));
    expect(repairsOf(hat('publishes: [build.done], default_publishes: biuld.done'))).toEqual([
      [true, { kind: 'replace', text: 'build.done' }],
      [false, { kind: 'add-item', to: { kind: 'hat-list', hat: 'a', list: 'publishes' }, item: 'biuld.done' }],
    ]);
    expect(repairsOf(hat('default_publishes: review.request'))).toEqual([
      [false, { kind: 'add-item', to: { kind: 'hat-list', hat: 'a', list: 'publishes' }, item: 'review.request' }],
    ]);
  });
});
