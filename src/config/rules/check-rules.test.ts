import { describe, expect, it } from 'vitest';
import { findingsOf, loadText } from '../config-fixtures.ts';

describe('hats', () => {
  it.each(['hats: {}', 'hats:', 'hats: {}\nevent_loop: {coordinator: hats}', 'hats: {}\nevent_loop: {coordinator: ralph}'])(
    'calls `%s` an empty collection',
    (yaml) => {
      const { settings, diagnostics } = loadText(yaml);
      expect(settings).toBeNull();
      expect(diagnostics).toMatchObject([
        { severity: 'error', code: 'hats-empty', message: 'Hat collection is empty.', line: 1, column: 1, endColumn: 5 },
      ]);
    },
  );

  it('needs hats where they are to coordinate themselves', () => {
    expect(findingsOf('mode: multi')).toEqual(['error hats-missing multi']);
    expect(findingsOf('event_loop: {coordinator: hats}')).toEqual(['error hats-missing hats']);
    expect(findingsOf('event_loop: {coordinator: ralph}')).toEqual([]);
  });

  it('refuses a hat that nothing can wake', () => {
    expect(findingsOf('hats: {a: {}}')).toEqual(['error triggers-missing a']);
    expect(findingsOf('hats: {a: }')).toEqual(['error triggers-missing a']);
    expect(findingsOf('hats: {a: {triggers: []}}')).toEqual(['error triggers-missing triggers']);
    expect(findingsOf('hats: {a: {subscriptions: []}}')).toEqual(['error triggers-missing subscriptions']);
  });

  it('does not add that triggers are missing where they are wrong', () => {
    expect(findingsOf('hats: {a: {triggers: ["b c"]}}')).toEqual(['error topic-invalid "b c"']);
  });

  it('takes subscriptions and subscribes_to for triggers, and refuses two that differ', () => {
    expect(loadText('hats: {a: {subscriptions: [x, y]}}').settings?.spec.hats?.[0]?.triggers).toEqual(['x', 'y']);
    expect(loadText('hats: {a: {subscribes_to: x}}').settings?.spec.hats?.[0]?.triggers).toEqual(['x']);
    expect(findingsOf('hats: {a: {triggers: [x, y], subscriptions: [y, x]}}')).toEqual([]);
    expect(findingsOf('hats: {a: {triggers: [x, y], subscribes_to: [z]}}')).toEqual(['error triggers-conflict subscribes_to']);
  });

  it.each(['ralph', 'external', 'system', '__proto__', 'constructor'])('keeps the id %s for itself', (id) => {
    expect(findingsOf(`hats: {${id}: {triggers: [x]}}`)).toEqual([`error hat-id-reserved ${id}`]);
  });

  it.each(['two words', 'a.b', 'ä', 'a/b', ''])('refuses %j as an id', (id) => {
    expect(findingsOf(`hats: {"${id}": {triggers: [x]}}`)).toEqual([`error hat-id-invalid "${id}"`]);
  });

  it('keeps the order of the file, for ids that look like numbers too', () => {
    const { settings } = loadText('hats: {zed: {triggers: [a]}, 10: {triggers: [b]}, 2: {triggers: [c]}, abc: {triggers: [d]}}');
    expect(settings?.spec.hats?.map((hat) => hat.id)).toEqual(['zed', '10', '2', 'abc']);
  });

  it('finds every hat that is named and not there', () => {
    const yaml = [
      'event_loop: {starting_hat: bilder, recovery_hat: nobody}',
      'hats:',
      '  builder: {triggers: [x], transitions: [builder, ghost], publishes: ["a b", {topic: y, target: phantom}, {topic: z, target: ralph}]}',
    ].join('\n');
    expect(findingsOf(yaml)).toEqual([
      'error hat-unknown bilder',
      'error hat-unknown nobody',
      'error hat-unknown ghost',
      'error topic-invalid "a b"',
      'error hat-unknown phantom',
    ]);
    expect(loadText(yaml).diagnostics[0]?.message).toBe('There is no hat "bilder": did you mean `builder`?');
  });
});

describe('default_publishes', () => {
  const hat = (rest: string) => `hats: {a: {triggers: [x], ${rest}}}`;

  it('may be a text or a list of what the hat publishes, also by a pattern', () => {
    expect(findingsOf(hat('publishes: [b.done], default_publishes: b.done'))).toEqual([]);
    expect(findingsOf(hat('publishes: [b.*, c], default_publishes: [b.done, c]'))).toEqual([]);
    expect(loadText(hat('publishes: [b], default_publishes: b')).settings?.spec.hats?.[0]?.defaultPublishes).toEqual(['b']);
  });

  it('must be listed, is no pattern, and never completes the run', () => {
    expect(findingsOf(hat('default_publishes: b'))).toEqual(['error default-publishes-unlisted b']);
    expect(findingsOf(hat('publishes: [b.*], default_publishes: b.*'))).toEqual(['error default-publishes-pattern b.*']);
    expect(findingsOf(hat('publishes: [LOOP_COMPLETE], default_publishes: LOOP_COMPLETE'))).toEqual([
      'error default-publishes-completion LOOP_COMPLETE',
    ]);
    expect(findingsOf(hat('publishes: [task.complete], default_publishes: task.complete'))).toEqual([
      'error default-publishes-completion task.complete',
    ]);
    expect(findingsOf(`event_loop: {completion_promise: DONE}\n${hat('publishes: [DONE], default_publishes: DONE')}`)).toEqual([
      'error default-publishes-completion DONE',
    ]);
  });

  it('is not held against a list that is wrong itself', () => {
    expect(findingsOf(hat('publishes: ["b c"], default_publishes: d'))).toEqual(['error topic-invalid "b c"']);
  });
});

describe('mode and coordinator', () => {
  const hats = 'hats: {a: {triggers: [task.start]}}';

  it('agree', () => {
    expect(findingsOf(`mode: multi\nevent_loop: {coordinator: hats}\n${hats}`)).toEqual([]);
    expect(findingsOf('mode: single\nevent_loop: {coordinator: auto}')).toEqual([]);
    expect(findingsOf(`mode: multi\nevent_loop: {coordinator: ralph}\n${hats}`)).toEqual(['error mode-coordinator ralph']);
    expect(findingsOf('mode: single\nevent_loop: {coordinator: ralph}')).toEqual(['error mode-coordinator ralph']);
  });

  it('single has no hats', () => {
    expect(findingsOf(`mode: single\n${hats}`)).toEqual(['error mode-single-hats single']);
    expect(loadText(`mode: single\n${hats}`).diagnostics[0]?.related).toMatchObject([{ line: 2, column: 1 }]);
  });
});

describe('event_loop', () => {
  it('takes a prompt or a file of one, not both', () => {
    expect(findingsOf('event_loop: {prompt: x, prompt_file: y}')).toEqual(['error prompt-twice y']);
    expect(findingsOf('event_loop: {prompt: "", prompt_file: y}')).toEqual([]);
  });

  it('lets pauses grow', () => {
    expect(findingsOf('event_loop: {retry: {base_seconds: 10, max_seconds: 5}}')).toEqual(['error retry-bounds 5']);
    expect(loadText('event_loop: {retry: {base_seconds: 400}}').settings?.spec.retry).toEqual({
      maxAttempts: 6,
      baseMs: 400_000,
      maxMs: 400_000,
    });
    expect(loadText('event_loop: {retry: {max_seconds: 1}}').settings?.spec.retry).toEqual({ maxAttempts: 6, baseMs: 1000, maxMs: 1000 });
  });

  it('turns errors about the flow into warnings with `strict_validation: false`, says so, and runs', () => {
    const { settings, diagnostics } = loadText('event_loop: {strict_validation: false}\nhats: {}');
    expect(settings?.strictValidation).toBe(false);
    expect(diagnostics).toMatchObject([
      {
        severity: 'warning',
        message: 'Hat collection validation bypassed (strict_validation: false).',
        why: 'Errors downgraded to warnings. This may cause undefined behavior.',
      },
      { severity: 'warning', message: 'Hat collection is empty.' },
    ]);
    expect(loadText('event_loop: {strict_validation: false, starting_hat: x}').settings).toBeNull();
  });
});

describe('backends', () => {
  it('custom and acp need a command, of their own or under cli', () => {
    expect(findingsOf('cli: {backend: custom}')).toEqual(['error backend-command custom']);
    expect(findingsOf('cli:\n  backend:\n    type: acp\n')).toEqual(['error backend-command backend']);
    expect(findingsOf('hats: {a: {triggers: [x], backend: custom}}')).toEqual(['error backend-command custom']);
    expect(findingsOf('cli: {backend: custom, command: ./agent.sh}\nhats: {a: {triggers: [x], backend: custom}}')).toEqual([]);
    expect(findingsOf('ralph: {backend: [claude, acp]}')).toEqual(['error backend-command acp']);
  });

  it.each([
    ['native', 'native'],
    ['{type: native, provider: openai}', 'backend'],
    ['{type: native, model: llama}', 'backend'],
    ['{type: native, provider: scripted}', 'backend'],
    ['{type: native, provider: openai-compatible, model: m}', 'backend'],
    ['{type: native, model: claude-sonnet-4-5, base_url: localhost}', 'backend'],
  ])('the native agent %s does not say whom it asks', (backend, place) => {
    expect(findingsOf(`hats: {a: {triggers: [x], profile: creator, backend: ${backend}}}`)).toEqual([`error native-incomplete ${place}`]);
  });

  it.each([
    '{type: native, provider: anthropic, model: m}',
    '{type: native, model: claude-sonnet-4-5}',
    '{type: native, model: gpt-5, base_url: "http://localhost:1/v1"}',
    '{type: native, script: s.yml}',
  ])('the native agent %s does', (backend) => {
    expect(findingsOf(`hats: {a: {triggers: [x], profile: creator, backend: ${backend}}}`)).toEqual([]);
  });

  it.each([
    ['{type: native, model: claude-3-5-haiku-latest, effort: low}', 'effort-ignored low'],
    ['{type: native, model: gpt-4.1, effort: low}', 'effort-ignored low'],
    ['{type: native, model: gemini-2.0-flash, effort: low}', 'effort-ignored low'],
    ['{type: native, script: s.yml, effort: low}', 'effort-ignored low'],
    ['{type: codex, effort: low}', 'native-key-ignored effort'],
    ['{type: codex, max_steps: 5, context: carry}', 'native-key-ignored context'],
    ['{type: native, model: gpt-5, effort: low}', null],
    ['{type: native, model: claude-sonnet-4-5, effort: low}', null],
    ['{type: native, provider: openai-compatible, base_url: "http://localhost:1/v1", model: m, effort: low}', null],
  ])('the agent %s whose settings have no effect is told of: %s', (backend, finding) => {
    const expected = finding === null ? [] : [`warning ${finding}`];
    expect(findingsOf(`hats: {a: {triggers: [x], profile: creator, backend: ${backend}}}`)).toEqual(expected);
  });

  it('settings of the native agent at another one are told of once, where they stand', () => {
    const found = findingsOf(
      'cli: {backend: {type: codex, max_cost: 5}}\nhats: {a: {triggers: [x], backend: codex}, b: {triggers: [y], backend: [claude]}}',
    );
    expect(found).toEqual(['warning native-key-ignored max_cost']);
    expect(findingsOf('cli: {backend: [{type: codex, effort: low}, claude]}')).toEqual(['warning native-key-ignored effort']);
    const native = '{type: native, model: claude-sonnet-4-5, max_cost: 5}';
    expect(findingsOf(`cli: {backend: ${native}}\nhats: {a: {triggers: [x], backend: codex}}`)).toEqual([]);
  });

  it('a native agent whose address is a variable that is not set lacks the variable only', () => {
    const backend = `{type: native, provider: openai-compatible, model: m, base_url: "\${BASE}"}`;
    expect(findingsOf(`hats: {a: {triggers: [x], profile: creator, backend: ${backend}}}`)).toEqual([`error variable-unset \${BASE}`]);
  });

  it('warns of a command line where a program is asked for', () => {
    expect(findingsOf('cli: {command: bash agent.sh}')).toEqual(['warning backend-command-words bash agent.sh']);
  });
});
