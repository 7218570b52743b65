import { describe, expect, it } from 'vitest';
import { loadText, tokenAt } from '../config-fixtures.ts';

describe('a panel that cannot be held as the configuration says', () => {
  const NATIVE = '{type: native, model: claude-sample}';
  const toYaml = (agents: string, rest: string, top: string) =>
    `${top}\nhats:\n  a:\n    triggers: [x]\n    ${rest}\n    panel: {agents: [${agents}]}\n`;

  /** Those about it, each with the text at its place. */
  const unboundBy = (agents: string, rest = '', top = '', request: Parameters<typeof loadText>[1] = {}) => {
    const yaml = toYaml(agents, rest, top);
    const found = loadText(yaml, request).diagnostics.filter(({ code }) => code === 'panel-unbound');
    return found.map((diagnostic) => ({ ...diagnostic, token: tokenAt(yaml, diagnostic) }));
  };
  const tokensOf = (...given: Parameters<typeof unboundBy>) => unboundBy(...given).map(({ token }) => token);
  const ids = (...backends: readonly string[]) => backends.map((backend, index) => `{id: n${index}, backend: ${backend}}`).join(', ');

  it('has a profile and agents that are not native, each of which is told', () => {
    const found = unboundBy(ids('claude', NATIVE, '{command: ./a.sh}'), 'profile: creator');
    expect(found.map(({ severity, token, hats }) => [severity, token, hats])).toEqual([
      ['error', 'n0', ['a']],
      ['error', 'n2', ['a']],
    ]);
    expect(found[0]?.message).toBe('The agent "n0" of this panel is claude, which the profile of its hat would not bind.');
    expect(found[0]?.fix).toContain('or agent CLIs alone, without a `profile`.');
    expect(found[0]?.related?.map(({ message, line }) => [message, line])).toEqual([['The profile of the hat is here.', 5]]);
    expect(found[1]?.message).toContain('is custom,');
  });

  it('has a profile, and agents whose backend is the one of the hat, of cli, of the command line, or the one that is found', () => {
    const agents = '{id: one}, {id: two}, {id: three}';
    const all = ['one', 'two', 'three'];
    expect(tokensOf(agents, 'profile: explorer')).toEqual(all);
    expect(unboundBy(agents, 'profile: explorer')[0]?.message).toContain('is the agent CLI that is found,');
    expect(unboundBy(agents, 'profile: explorer')[0]?.fix).toContain('or leave out its `profile`.');
    expect(tokensOf(agents, 'profile: explorer\n    backend: codex', `cli: {backend: ${NATIVE}}`)).toEqual(all);
    expect(tokensOf(agents, 'profile: explorer', 'cli: {backend: codex}')).toEqual(all);
    const native = `cli: {backend: ${NATIVE}}`;
    expect(tokensOf(agents, 'profile: explorer', native)).toEqual([]);
    expect(tokensOf(agents, 'profile: explorer', native, { flags: { prompt: 'Do it.', backend: 'claude' } })).toEqual(all);
  });

  it('names no profile, so that nothing is promised that does not hold', () => {
    expect(tokensOf(ids('claude', NATIVE, NATIVE))).toEqual([]);
  });

  it('is told at the right agent where one before it could not be read', () => {
    expect(tokensOf(`5, ${ids(NATIVE, 'codex', NATIVE)}`, 'profile: creator')).toEqual(['n1']);
  });

  it.each([
    ['sandbox: required', ''],
    ['', 'sandbox: required'],
    ['', 'sandbox: {mode: required}'],
  ])('requires a sandbox, also for native agents: hat %j, top %j', (rest, top) => {
    const found = unboundBy(ids(NATIVE, NATIVE, NATIVE), `profile: creator\n    ${rest}`, top);
    expect(found.map(({ severity, token, hats }) => [severity, token, hats])).toEqual([['error', 'required', ['a']]]);
    expect(found[0]?.related?.map(({ message }) => message)).toEqual(['The panel is here.']);
  });

  it('is part of a safe run, whatever its hat says', () => {
    expect(tokensOf(ids('claude', 'claude', 'claude'), '', 'safe: true')).toEqual(['true']);
    expect(tokensOf(ids('claude', 'claude', 'claude'), 'sandbox: auto', 'safe: true')).toEqual(['true']);
    const [typed] = unboundBy(ids('claude', 'claude', 'claude'), '', '', { assignments: ['safe=true'] });
    expect(typed).toMatchObject({ severity: 'error', file: '-c safe=true' });
    expect(tokensOf(ids('claude', 'claude', 'claude'), '', 'safe: true', { assignments: ['safe=false'] })).toEqual([]);
  });

  it('is one of several hats, each of which is told', () => {
    const panel = `panel: {agents: [${ids('claude', 'claude', 'claude')}]}`;
    const { diagnostics } = loadText(
      `safe: true\nhats: {a: {triggers: [x], ${panel}}, b: {triggers: [y], ${panel}}, c: {triggers: [z]}}\n`,
    );
    expect(diagnostics.filter(({ code }) => code === 'panel-unbound').map(({ hats }) => hats)).toEqual([['a'], ['b']]);
  });

  it('is not one that nothing holds back, or whose hat is free of the sandbox of the others', () => {
    expect(tokensOf(ids('claude', 'codex', 'gemini'))).toEqual([]);
    expect(tokensOf(ids(NATIVE, NATIVE, NATIVE), 'profile: creator')).toEqual([]);
    for (const mode of ['auto', 'off'])
      expect(tokensOf(ids('claude', 'codex', 'gemini'), `sandbox: ${mode}`, 'sandbox: required')).toEqual([]);
    expect(tokensOf(ids('claude', 'codex', 'gemini'), '', 'sandbox: auto')).toEqual([]);
  });
});
