import { describe, expect, it } from 'vitest';
import { settingsOf } from '../config-fixtures.ts';

/** The backends of a hat `a` with the given backend under the given `cli:`. */
function wear(cli: string, backend: string | null, rest = '') {
  const hat = backend === null ? '{triggers: [x]}' : `{triggers: [x], backend: ${backend}}`;
  return settingsOf(`cli: ${cli}\nhats: {a: ${hat}}\n${rest}`).backends;
}

const PLAIN = { args: [], env: {}, permissions: 'bypass' };

describe('the backends of a configuration', () => {
  it('are found by themselves where none is named', () => {
    const settings = settingsOf('hats: {a: {triggers: [x]}}');
    expect(settings.backends).toEqual({ a: [{ ...PLAIN, type: 'auto' }], ralph: [{ ...PLAIN, type: 'auto' }] });
    expect(settings.priority.slice(0, 3)).toEqual(['claude', 'codex', 'gemini']);
    expect(settingsOf('cli: {priority: [pi, codex]}').priority).toEqual(['pi', 'codex']);
  });

  it('parse as a name (seed 003, step 1)', () => {
    expect(wear('{}', 'claude')['a']).toEqual([{ ...PLAIN, type: 'claude' }]);
  });

  it('parse as kiro with an agent (seed 003, step 1)', () => {
    expect(wear('{}', '{type: kiro, agent: builder}')['a']).toEqual([{ ...PLAIN, type: 'kiro', agent: 'builder' }]);
  });

  it('parse as a command with arguments (seed 003, step 1)', () => {
    expect(wear('{}', '{command: ./agent.sh, args: [--fast]}')['a']).toEqual([
      { ...PLAIN, type: 'custom', command: './agent.sh', args: ['--fast'], promptMode: 'arg', outputFormat: 'text' },
    ]);
  });

  it('are inherited from cli by a hat without one (seed 003, steps 1 and 8)', () => {
    const cli = '{backend: claude, model: opus, args: [--x], env: {A: b}, permissions: default}';
    const expected = [{ type: 'claude', model: 'opus', args: ['--x'], env: { A: 'b' }, permissions: 'default' }];
    expect(wear(cli, null)).toEqual({ a: expected, ralph: expected });
  });

  it('of the same type inherit args, model and env, and win with what they say themselves', () => {
    const cli = '{backend: claude, model: opus, args: [--x], env: {A: b, C: d}}';
    expect(wear(cli, 'claude')['a']).toEqual([
      { type: 'claude', model: 'opus', args: ['--x'], env: { A: 'b', C: 'd' }, permissions: 'bypass' },
    ]);
    expect(wear(cli, '{type: claude, model: haiku, args: [], env: {C: e}}')['a']).toEqual([
      { type: 'claude', model: 'haiku', args: [], env: { A: 'b', C: 'e' }, permissions: 'bypass' },
    ]);
    expect(wear(cli, '{model: haiku}')['a']).toEqual([
      { type: 'claude', model: 'haiku', args: ['--x'], env: { A: 'b', C: 'd' }, permissions: 'bypass' },
    ]);
  });

  it('of another type inherit env and permissions only', () => {
    const cli = '{backend: claude, model: opus, args: [--x], env: {A: b}, permissions: default, prompt_mode: stdin}';
    expect(wear(cli, 'codex')['a']).toEqual([{ type: 'codex', args: [], env: { A: 'b' }, permissions: 'default' }]);
    expect(wear('{backend: custom, command: ./a.sh, args: [-v], prompt_mode: stdin}', '{command: ./b.sh}')['a']).toEqual([
      { ...PLAIN, type: 'custom', command: './b.sh', promptMode: 'arg', outputFormat: 'text' },
    ]);
  });

  it('under cli can be a custom command with everything that seed 004 says of it', () => {
    const { ralph } = wear(
      '{backend: custom, command: ./agent.sh, args: [-q], prompt_mode: stdin, prompt_flag: -p, output_format: stream}',
      null,
    );
    expect(ralph).toEqual([
      { ...PLAIN, type: 'custom', command: './agent.sh', args: ['-q'], promptMode: 'stdin', promptFlag: '-p', outputFormat: 'stream' },
    ]);
    expect(wear('{command: ./agent.sh}', null)['ralph']?.[0]?.type).toBe('custom');
  });

  it('can be a list, for the switch at a usage limit', () => {
    const backends = wear('{backend: [claude, {type: codex, model: gpt}], model: opus}', '[codex, claude]');
    expect(backends['ralph']).toEqual([
      { ...PLAIN, type: 'claude', model: 'opus' },
      { ...PLAIN, type: 'codex', model: 'gpt' },
    ]);
    expect(backends['a']).toEqual([
      { ...PLAIN, type: 'codex', model: 'gpt' },
      { ...PLAIN, type: 'claude', model: 'opus' },
    ]);
  });

  it('of Ralph follow cli, with a model and arguments of his own', () => {
    expect(wear('{backend: claude, model: opus, args: [--x]}', null, 'ralph: {model: haiku, args: []}')).toEqual({
      a: [{ ...PLAIN, type: 'claude', model: 'opus', args: ['--x'] }],
      ralph: [{ ...PLAIN, type: 'claude', model: 'haiku' }],
    });
    expect(wear('{backend: claude}', null, 'ralph: {backend: codex, model: gpt}')['ralph']).toEqual([
      { ...PLAIN, type: 'codex', model: 'gpt' },
    ]);
  });

  it('are replaced by the command line, where a hat does not name its own', () => {
    const yaml =
      'cli: {backend: claude, model: opus, args: [--x], env: {A: b}}\nhats: {a: {triggers: [x]}, b: {triggers: [y], backend: gemini}}';
    const { backends } = settingsOf(yaml, { flags: { prompt: 'x', backend: 'codex', model: 'gpt' } });
    const codex = { type: 'codex', model: 'gpt', args: [], env: { A: 'b' }, permissions: 'bypass' };
    expect(backends).toMatchObject({ a: [codex], b: [{ type: 'gemini', args: [] }], ralph: [codex] });
    const same = settingsOf(yaml, { flags: { prompt: 'x', backend: 'claude' } });
    expect(same.backends['ralph']).toMatchObject([{ type: 'claude', model: 'opus', args: ['--x'] }]);
  });

  it('have labels without folders of this machine', () => {
    const labelsOf = (backend: string) => settingsOf(`cli: {backend: ${backend}}`).spec.ralph.backends;
    expect(labelsOf('claude')).toEqual(['claude']);
    expect(labelsOf('[{type: claude, model: opus}, codex]')).toEqual(['claude (opus)', 'codex']);
    expect(labelsOf('{command: ./agent.sh}')).toEqual(['custom:./agent.sh']);
    expect(labelsOf('{command: /home/me/agent.sh}')).toEqual(['custom:agent.sh']);
    expect(labelsOf('{type: acp, command: gemini}')).toEqual(['acp:gemini']);
    expect(labelsOf('{type: kiro, agent: builder}')).toEqual(['kiro:builder']);
  });

  it('stand under `default` too in the classic loop', () => {
    const { backends } = settingsOf('mode: single\ncli: {backend: claude}');
    expect(backends['default']).toEqual(backends['ralph']);
  });

  it('can be the native agent, whose provider is found by its model, and whose bounds have defaults', () => {
    const [native] = wear('{}', '{type: native, model: claude-sonnet-4-5}')['a'] ?? [];
    expect(native).toEqual({
      ...PLAIN,
      type: 'native',
      model: 'claude-sonnet-4-5',
      native: { provider: 'anthropic', context: 'fresh', maxSteps: null, maxCostUsd: null, maxOutputTokens: null, contextTokens: 200_000 },
    });
  });

  it('of the native agent inherit from one of the same provider only', () => {
    const cli = '{backend: native, provider: openai, model: gpt-5, base_url: "http://localhost:1/v1", max_steps: 9, max_cost: $2}';
    const [same] = wear(cli, '{type: native, model: gpt-5-mini, context: carry}')['a'] ?? [];
    expect(same).toMatchObject({
      model: 'gpt-5-mini',
      native: { baseUrl: 'http://localhost:1/v1', maxSteps: 9, maxCostUsd: 2, context: 'carry' },
    });
    const [other] = wear(cli, '{type: native, provider: google, model: gemini-x}')['a'] ?? [];
    expect(other?.native).toEqual({
      provider: 'google',
      context: 'fresh',
      maxSteps: null,
      maxCostUsd: null,
      maxOutputTokens: null,
      contextTokens: 1_000_000,
    });
  });

  it('that are not native keep nothing that is said of the native agent', () => {
    expect(wear('{backend: claude, provider: openai, max_steps: 3}', null)['a']).toEqual([{ ...PLAIN, type: 'claude' }]);
  });
});
