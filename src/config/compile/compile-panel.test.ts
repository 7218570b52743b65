import { describe, expect, it } from 'vitest';
import { findingsOf, loadText, settingsOf } from '../config-fixtures.ts';
import { findHooks } from '../settings.ts';

const PLAIN = { args: [], env: {}, permissions: 'bypass' };

/** The hat `a` with the given keys in the braces of its panel, and its backends. */
function wear(panel: string, rest = '', cli = '{}') {
  const settings = settingsOf(`cli: ${cli}\nhats: {a: {triggers: [x], ${rest}panel: {${panel}}}}\n`);
  return { hat: settings.spec.hats?.[0], backends: settings.backends['a'], settings };
}

const THREE = 'agents: [{id: one}, {id: two}, {id: three}]';

// biome-ignore lint/suspicious/noTemplateCurlyInString: words for agents stay as they are
const WORDS = 'Doubt ${HOME}.';

describe('a panel', () => {
  it('is compiled with every default', () => {
    expect(wear(THREE).hat?.panel).toEqual({
      agents: [
        { id: 'one', instructions: '' },
        { id: 'two', instructions: '' },
        { id: 'three', instructions: '' },
      ],
      strategy: 'vote',
      maxAnswersPerAgent: 1,
      maxAnswersTotal: null,
      novelty: 'balanced',
      voting: 'balanced',
      injection: 'mid_stream',
      firstInjection: 'restart',
      maxInjectionsPerRound: 2,
      timeoutMs: 1_800_000,
      maxParallel: 3,
      quorum: 1,
      minAgents: 1,
      budgetUsd: null,
    });
  });

  it('is compiled as it is written', () => {
    const written = [
      `agents: [{id: one, instructions: "${WORDS}\\n"}, {id: two}, {id: three}]`,
      'strategy: synthesize, max_answers_per_agent: 3, max_answers_total: 6, novelty: strict, voting: lenient, injection: restart',
      'first_injection: protect_first_answer, max_injections: 0, timeout: 90s, max_parallel: 1, quorum: 2, min_agents: 3, budget_usd: $2.50',
    ];
    expect(wear(written.join(', ')).hat?.panel).toEqual({
      agents: [
        { id: 'one', instructions: WORDS },
        { id: 'two', instructions: '' },
        { id: 'three', instructions: '' },
      ],
      strategy: 'synthesize',
      maxAnswersPerAgent: 3,
      maxAnswersTotal: 6,
      novelty: 'strict',
      voting: 'lenient',
      injection: 'restart',
      firstInjection: 'protect_first_answer',
      maxInjectionsPerRound: 0,
      timeoutMs: 90_000,
      maxParallel: 1,
      quorum: 2,
      minAgents: 3,
      budgetUsd: 2.5,
    });
  });

  it.each([
    ['lenient', 'off'],
    ['balanced', 'balanced'],
    ['strict', 'strict'],
  ])('whose agents vote in a %s way asks for novelty: %s', (voting, novelty) => {
    expect(wear(`${THREE}, voting: ${voting}`).hat?.panel?.novelty).toBe(novelty);
  });

  it('is absent where a hat has none', () => {
    expect(settingsOf('hats: {a: {triggers: [x]}}').spec.hats?.[0]).not.toHaveProperty('panel');
  });

  it('is part of what is compared when a run goes on', () => {
    const keysOf = (quorum: number) => wear(`${THREE}, quorum: ${quorum}`).settings.digest.keys;
    expect(keysOf(1)['hats.a']).not.toBe(keysOf(2)['hats.a']);
  });

  it('is left out of a draft that has too few agents for one', () => {
    expect(loadText('hats: {a: {triggers: [x], panel: {agents: [{id: one}]}}}').settings).toBeNull();
    expect(findingsOf('hats: {a: {triggers: [x], panel: {agents: []}}}')).toEqual(['error panel-agents agents']);
  });
});

describe('the backends of a panel', () => {
  it('are those of its agents, in their order', () => {
    const { hat, backends } = wear(
      'agents: [{id: one, backend: codex}, {id: two}, {id: three, backend: {command: ./a.sh}}]',
      'backend: claude, ',
    );
    expect(backends).toEqual([
      { ...PLAIN, type: 'codex' },
      { ...PLAIN, type: 'claude' },
      { ...PLAIN, type: 'custom', command: './a.sh', promptMode: 'arg', outputFormat: 'text' },
    ]);
    expect(hat?.backends).toEqual(['codex', 'claude', 'custom:./a.sh']);
  });

  it('are the first of cli where neither the agent nor the hat names one', () => {
    expect(wear(THREE, '', '{backend: [claude, codex], model: opus}').hat?.backends).toEqual([
      'claude (opus)',
      'claude (opus)',
      'claude (opus)',
    ]);
  });

  it('inherit from their hat, and from the list of cli', () => {
    const cli = '{backend: [claude, {type: codex, model: large}], env: {A: b}}';
    const { backends } = wear(
      'agents: [{id: one, backend: {type: claude, env: {E: f}}}, {id: two, backend: {model: haiku}}, {id: three, backend: codex}]',
      'backend: {type: claude, model: opus, env: {C: d}}, ',
      cli,
    );
    expect(backends).toEqual([
      { ...PLAIN, type: 'claude', model: 'opus', env: { A: 'b', C: 'd', E: 'f' } },
      { ...PLAIN, type: 'claude', model: 'haiku', env: { A: 'b', C: 'd' } },
      { ...PLAIN, type: 'codex', model: 'large', env: { A: 'b' } },
    ]);
  });

  it('have their hooks by the place of the agent', () => {
    const native = '{type: native, model: claude-sample, hooks: {PreToolUse: [{command: "true --all"}]}}';
    const { backends, settings } = wear(
      `agents: [{id: one, backend: {type: native, model: gpt-5}}, {id: two, backend: ${native}}]`,
      'profile: creator, ',
    );
    expect(backends?.map(({ hookList }) => hookList)).toEqual([undefined, 'a.1']);
    expect(Object.keys(settings.backendHooks ?? {})).toEqual(['a.1']);
  });
});

describe('what is wrong with a backend of an agent', () => {
  /** The findings about a hat with these agents, without the hint about their number. */
  const findingsAbout = (agents: string, rest = '') =>
    findingsOf(`hats:\n  a:\n    triggers: [x]\n    ${rest}\n    panel:\n      agents:\n${agents}`).filter(
      (finding) => !finding.includes('panel-even'),
    );

  it('is told at the agent', () => {
    expect(findingsAbout('        - {id: one}\n        - {id: two, backend: custom}\n')).toEqual(['error backend-command custom']);
    expect(findingsAbout('        - {id: one}\n        - {id: two, backend: {type: codex, effort: high}}\n')).toEqual([
      'warning native-key-ignored effort',
    ]);
  });

  it('is told at the right agent where one before it could not be read', () => {
    expect(findingsAbout('        - 5\n        - {id: one}\n        - {id: two, backend: custom}\n')).toEqual([
      'error type-invalid 5',
      'error backend-command custom',
    ]);
  });

  it('is told once for all agents that inherit it', () => {
    expect(findingsAbout('        - {id: one}\n        - {id: two}\n', 'backend: custom')).toEqual(['error backend-command custom']);
  });

  it('is that nobody said what the native one may do', () => {
    const native = '{type: native, model: claude-sample}';
    expect(findingsAbout(`        - {id: one, backend: codex}\n        - {id: two, backend: ${native}}\n`, 'backend: claude')).toEqual([
      'warning profile-missing backend',
    ]);
    const { diagnostics } = loadText(
      `hats:\n  a:\n    triggers: [x]\n    panel:\n      agents:\n        - {id: one}\n        - {id: two, backend: ${native}}\n`,
    );
    expect(diagnostics.filter(({ code }) => code === 'profile-missing').map(({ line }) => line)).toEqual([7]);
  });

  it('is a key of a backend beside its name', () => {
    const yaml =
      'hats:\n  a:\n    triggers: [x]\n    panel:\n      agents:\n        - id: one\n          backend: claude\n          agent: critic\n        - id: two\n';
    const { fix } = loadText(yaml).diagnostics.find(({ code }) => code === 'key-misplaced') ?? {};
    expect(fix).toBe(
      'Write:\n\nhats:\n  a:\n    panel:\n      agents:\n        -\n          backend:\n            type: claude\n            agent: critic',
    );
    const written = (fix ?? '')
      .replace('Write:\n\n', '')
      .replace('panel:', 'triggers: [x]\n    panel:')
      .replace('-\n', '- id: two\n        -\n          id: one\n');
    expect(settingsOf(`${written}\n`).backends['a']?.[1]).toMatchObject({ type: 'claude', agent: 'critic' });
  });
});

describe('what an agent of a panel has of its own', () => {
  const NATIVE = '{type: native, provider: anthropic}';

  it('is the model of its backend, also of one that it inherits', () => {
    const agents = `agents: [{id: one, model: haiku}, {id: two, backend: codex, model: large}, {id: three, backend: ${NATIVE}, model: claude-sample}]`;
    const { hat, backends } = wear(agents, 'backend: {type: claude, model: opus}, profile: creator, ');
    expect(backends?.map(({ model }) => model)).toEqual(['haiku', 'large', 'claude-sample']);
    expect(hat?.backends).toEqual(['claude (haiku)', 'codex (large)', 'native:anthropic (claude-sample)']);
  });

  it('is its profile, else that of the hat, else what its backend gets without one', () => {
    const profilesOf = (rest: string): readonly unknown[] => {
      const agents = `agents: [{id: one}, {id: two, profile: critic}, {id: three, backend: ${NATIVE}, model: claude-sample}]`;
      const { settings, backends } = wear(agents, `backend: claude, ${rest}`);
      const named = backends?.map(({ profile }) => (profile === undefined ? settings.profileNames['a'] : profile)) ?? [];
      return [settings.profileNames['a'], ...named];
    };
    expect(profilesOf('profile: creator, ')).toEqual(['creator', 'creator', 'critic', 'creator']);
    expect(profilesOf('')).toEqual(['explorer', null, 'critic', 'explorer']);
  });

  it('leaves nothing to say of a hat whose native agents all name a profile', () => {
    const native = (id: string) => `{id: ${id}, backend: ${NATIVE}, model: claude-sample, profile: creator}`;
    const yaml = `hats: {a: {triggers: [x], panel: {agents: [${native('one')}, ${native('two')}, ${native('three')}]}}}`;
    expect(findingsOf(yaml)).toEqual([]);
    const { profileNames, backends } = settingsOf(yaml);
    expect([profileNames['a'], backends['a']?.map(({ profile }) => profile)]).toEqual([null, ['creator', 'creator', 'creator']]);
  });

  it('is told at its place where there is no such profile, also behind an agent that could not be read', () => {
    expect(findingsOf('hats: {a: {triggers: [x], panel: {agents: [5, {id: one}, {id: two, profile: critik}, {id: three}]}}}')).toContain(
      'error profile-unknown critik',
    );
  });

  it('are hooks behind those of the hat, or in their place, whatever its backend', () => {
    const hooks = (word: string) => `{PreToolUse: [{command: "true --${word}"}]}`;
    const agents = [
      `{id: one, backend: ${NATIVE}, model: claude-sample}`,
      `{id: two, backend: ${NATIVE}, model: claude-sample, hooks: ${hooks('own')}}`,
      `{id: three, backend: {type: native, provider: anthropic, hooks: ${hooks('backend')}}, model: claude-sample, hooks: {PreToolUse: {override: true, hooks: [{command: "true --alone"}]}}}`,
      `{id: four, backend: claude, hooks: ${hooks('unheard')}}`,
      '{id: five, backend: claude}',
    ];
    const yaml = `hooks: ${hooks('all')}\nhats: {a: {triggers: [x], profile: creator, hooks: ${hooks('hat')}, panel: {agents: [${agents.join(', ')}]}}}`;
    const settings = settingsOf(yaml);
    const asked = (settings.backends['a'] ?? []).map((spec) =>
      findHooks(settings, 'a', spec).map(({ handler }) => (handler.kind === 'shell' ? handler.line.replace('true ', '') : handler.kind)),
    );
    expect(asked).toEqual([
      ['--all', '--hat'],
      ['--all', '--hat', '--own'],
      ['--alone', '--backend'],
      ['--all', '--hat', '--unheard'],
      ['--all', '--hat'],
    ]);
    const found = loadText(yaml).diagnostics.filter(({ code }) => code === 'hook-not-bound');
    expect(found.map(({ line, severity, message }) => [line, severity, message])).toEqual([
      [1, 'warning', expect.stringContaining('do not bind Ralph')],
      [2, 'warning', 'These hooks do not bind "a": claude calls its tools by itself.'],
      [2, 'warning', 'These hooks do not bind "four" of "a": claude calls its tools by itself.'],
    ]);
  });

  it('are no hooks of the loop, which asks those of the hat whoever wears it', () => {
    const hooks = '{EventPublish: [{command: "true --x"}]}';
    const yaml = `hats:\n  a:\n    triggers: [x]\n    panel:\n      agents:\n        - {id: one}\n        - id: two\n          hooks: ${hooks}\n        - {id: three}\n`;
    const [found] = loadText(yaml).diagnostics.filter(({ code }) => code === 'hook-invalid');
    expect([found?.line, found?.message]).toEqual([8, 'Hooks of EventPublish are of a hat, and this is an agent of its panel.']);
  });
});
