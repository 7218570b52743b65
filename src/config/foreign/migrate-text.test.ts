import { describe, expect, it } from 'vitest';
import { findingsOf, settingsOf } from '../config-fixtures.ts';
import { migrateText } from './migrate-text.ts';

describe('migrating a text with aliases', () => {
  it.each([
    ['an anchor that moves behind its alias', 'agent: &a claude\ncli: {model: *a}\nmax_iterations: 5\n'],
    ['an anchor in what is left out', 'verbose: &v "opus"\ncli: {backend: claude, model: *v}\n'],
    ['an anchor of a name that comes twice', 'agent: &a claude\nx-name: &a opus\ncli: {model: *a}\nmax_iterations: 5\n'],
    ['aliases in what an alias stands for', 'agent: &a claude\nverbose: &l [*a, *a]\ncli: {args: *l}\n'],
    ['an alias that moves', 'x-n: &n 5\nmax_iterations: *n\ncli: {backend: claude}\n'],
    ['a section that is an alias', 'x-cli: &c {model: opus}\ncli: *c\nmax_iterations: 5\n'],
  ])('means the same afterwards: %s', async (_, text) => {
    const { outcome, text: migrated } = await migrateText(text, 'x.yml');
    expect(outcome).toBe('migrated');
    expect(findingsOf(migrated)).toEqual([]);
    const { digest: _digest, ...before } = settingsOf(text);
    const { digest: _other, ...after } = settingsOf(migrated);
    expect(after).toEqual(before);
  });

  it('puts nothing in the place of a section that is an alias', async () => {
    const { outcome, text, left } = await migrateText('x-c: &c {model: opus}\ncli: *c\nagent: claude\nmax_iterations: 5\n', 'x.yml');
    expect(outcome).toBe('migrated');
    expect(text).toContain('cli: *c');
    expect(left.map(({ code }) => code)).toEqual(['key-moved']);
  });
});

const DROPPING = [
  'event_loop:',
  '  prompt_file: TASK.md',
  '  # quieter at night',
  '  persistent: true # why: the pager',
  '  # how long',
  '  max_iterations: 20',
  '# the robot of the team',
  'RObot:',
  '  enabled: true',
  '  # token in the vault',
  '  timeout_seconds: 5',
  '',
].join('\n');

describe('the comments of a text', () => {
  const old = [
    '# My team, for the parser',
    '# written in May',
    '',
    '# who works',
    'agent: claude',
    '# how long',
    'max_iterations: 20',
    '',
    '# the task',
    'prompt_file: TASK.md',
    '',
  ].join('\n');

  it('stay at the head of the file, or above their key where that moves', async () => {
    const { text } = await migrateText(old, 'x.yml');
    expect(text).toMatch(/^# My team, for the parser\n# written in May\n\n\S/);
    expect(text).toMatch(/\n {2}# who works\n {2}backend: claude\n/);
    expect(text).toMatch(/\n {2}# how long\n {2}max_iterations: 20\n/);
    expect(text).toMatch(/\n {2}# the task\n {2}prompt_file: TASK.md\n/);
    expect(text).not.toMatch(/[ \t]\n/);
  });

  it('stay when their key is left out: above the next one, or at the end', async () => {
    const { text, dropped } = await migrateText(DROPPING, 'x.yml');
    expect(dropped).toHaveLength(2);
    expect(text).toMatch(/\n {2}# quieter at night\n {2}# why: the pager\n {2}# how long\n {2}max_iterations: 20\n/);
    expect(text).toMatch(/\n# the robot of the team\n# token in the vault\n?$/);
    const moved = await migrateText(
      '# what proves it\nbackpressure:\n  gates:\n    # quick ones\n    - {name: t, command: npm test}\ntui: {}\n',
      'x.yml',
    );
    expect(moved.text).toMatch(/# what proves it\n(?:# quick ones\n)?gates:\n(?: +# quick ones\n)? +- /);
    for (const comment of DROPPING.match(/#.*/g) ?? []) expect(text).toContain(comment);
  });
});

describe('migrating', () => {
  it.each([
    ['a key that comes twice', 'agent: claude\nagent: codex\n'],
    ['a second document', 'agent: claude\n---\nagent: codex\n'],
    ['an alias without an anchor', 'agent: *nobody\n'],
    ['an alias of itself', 'agent: &a [*a]\n'],
  ])('refuses %s and says where it is', async (_, text) => {
    const { outcome, text: same, diagnostics } = await migrateText(text, 'x.yml');
    expect([outcome, same]).toEqual(['invalid', text]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ severity: 'error', file: 'x.yml' }));
  });

  it('leaves all gates as they are where one of them has no command', async () => {
    const gates = 'backpressure:\n  gates:\n    - {name: fmt, command: cargo fmt}\n    - {name: unit}\n';
    const { text } = await migrateText(`agent: claude\n${gates}`, 'x.yml');
    expect(text).toContain(gates);
  });

  it('says what is not our way where nothing of it can be changed', async () => {
    const text = 'base: &b {timeout: 5}\nhats:\n  a:\n    <<: *b\n    triggers: [task.start]\n';
    const { outcome, text: same, diagnostics } = await migrateText(text, 'x.yml');
    expect([outcome, same]).toEqual(['stuck', text]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'key-moved', message: expect.stringContaining('hats.a.timeout') }));
  });
});
