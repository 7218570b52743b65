import { describe, expect, it } from 'vitest';
import { findingsOf, loadText } from '../config-fixtures.ts';

const THREE = 'agents: [{id: one}, {id: two}, {id: three}]';
const toYaml = (panel: string, { top = '', hat = '' } = {}): string =>
  `${top}\nhats:\n  a:\n    triggers: [x]\n    ${hat}\n    panel: {${THREE}, ${panel}}\n`;
const about = (panel: string, rest = {}) => findingsOf(toYaml(panel, rest));
const diagnosticsOf = (panel: string, rest = {}) => loadText(toYaml(panel, rest)).diagnostics;

describe('the budget of a panel', () => {
  it('is below the limit of the run, which would stop it first', () => {
    const run = { top: 'event_loop: {max_cost_usd: 5}', hat: 'backend: claude' };
    expect(about('budget_usd: 4', run)).toEqual([]);
    expect(about('budget_usd: 5', run)).toEqual(['warning panel-budget 5']);
    const [found] = diagnosticsOf('budget_usd: 20', run);
    expect(found).toMatchObject({ message: 'This panel may spend $20.00, and the run is ended at $5.00.', hats: ['a'], line: 6 });
    expect(found?.related).toMatchObject([{ line: 1, message: 'The limit of the run is here.' }]);
  });

  it('can be reached: an agent at least tells its cost', () => {
    expect(about('budget_usd: 4', { hat: 'backend: claude' })).toEqual([]);
    expect(about('budget_usd: 4', { hat: 'backend: {command: ./agent.sh}' })).toEqual(['warning panel-budget 4']);
    const two =
      'budget_usd: 4, agents: [{id: one, backend: claude}, {id: two, backend: {command: ./agent.sh}}, {id: three, backend: claude}]';
    expect(findingsOf(`hats:\n  a:\n    triggers: [x]\n    panel: {${two}}\n`)).toEqual([]);
  });
});

describe('the time of a panel', () => {
  it('is no longer than that of its turn and of the run, where it is written out', () => {
    expect(about('timeout: 1h')).toEqual([]);
    expect(about('voting: strict', { hat: 'timeout_seconds: 10m' })).toEqual([]);
    expect(about('timeout: 20m', { hat: 'timeout_seconds: 10m' })).toEqual(['warning panel-timeout 20m']);
    expect(about('timeout: 20m', { top: 'event_loop: {max_runtime_seconds: 10m}' })).toEqual(['warning panel-timeout 20m']);
  });

  it.each([
    ['timeout: 2h', {}, 'a turn of its hat 1 h 00 min', undefined],
    ['timeout: 20m', { hat: 'timeout_seconds: 10m' }, 'a turn of its hat 10 min 00 s', 5],
    ['timeout: 20m', { top: 'event_loop: {timeout_seconds: 10m}' }, 'a turn of its hat 10 min 00 s', 1],
    ['timeout: 20m', { top: 'event_loop: {max_runtime_seconds: 5m}', hat: 'timeout_seconds: 10m' }, 'the run 5 min 00 s', 1],
    ['timeout: 5h', {}, 'the run 4 h 00 min', undefined],
  ])('%s with %o is told with what is shorter, and where that stands', (panel, rest, what, line) => {
    const [found, ...more] = diagnosticsOf(panel, rest).filter(({ code }) => code === 'panel-timeout');
    expect(found?.message).toContain(`, and ${what}.`);
    expect(found?.related?.[0]?.line).toBe(line);
    expect(more).toEqual([]);
  });

  it('can be shortened to what there is', () => {
    const [found] = diagnosticsOf('timeout: 20m', { hat: 'timeout_seconds: 10m' });
    expect(found?.repairs).toEqual([{ title: 'write `600s`', isSafe: false, change: { kind: 'replace', text: '600s' } }]);
    expect(about('timeout: 600s', { hat: 'timeout_seconds: 10m' })).toEqual([]);
  });
});

describe('the answers of a panel', () => {
  it('are as many as its agents, or some only vote', () => {
    expect(about('max_answers_total: 3')).toEqual([]);
    expect(about('max_answers_total: 2')).toEqual(['hint panel-answers 2']);
    expect(diagnosticsOf('max_answers_total: 2')[0]).toMatchObject({
      message: 'Of 3 agents, 2 can answer: the other can only vote.',
      repairs: [{ title: 'write `3`' }],
    });
    expect(diagnosticsOf('max_answers_total: 1')[0]?.message).toBe('Of 3 agents, one can answer: the others can only vote.');
  });

  it('are no matter of who writes the answer of all', () => {
    expect(about('max_answers_total: 2, strategy: synthesize, synthesizer: three')).not.toContain('hint panel-answers 2');
  });

  it('are told of once where fewer are allowed than there have to be', () => {
    expect(about('max_answers_total: 2, min_agents: 3')).toEqual(['error panel-bounds 2']);
  });
});

describe('a key of a panel', () => {
  it.each([
    ['injection: off, first_injection: restart', 'first_injection', 'injection: off'],
    ['injection: off, max_injections: 2', 'max_injections', 'injection: off'],
    ['injection: restart, max_injections: 2', 'max_injections', 'injection: restart'],
    ['max_answers_per_agent: 1, novelty: strict', 'novelty', 'max_answers_per_agent: 1'],
  ])('that says nothing in %s is told, with what makes it so', (panel, key, by) => {
    const [found, ...more] = diagnosticsOf(panel);
    expect(found).toMatchObject({ code: 'panel-idle-key', severity: 'warning', message: `\`${key}\` says nothing beside \`${by}\`.` });
    expect(found?.related).toHaveLength(1);
    expect(more).toEqual([]);
  });

  it('says nothing without another, either', () => {
    expect(diagnosticsOf('novelty: strict')[0]?.message).toBe('`novelty` says nothing without `max_answers_per_agent`.');
    expect(diagnosticsOf('grace: 1m')[0]?.message).toBe('`grace` says nothing without `round_timeout`.');
    expect(about('quorum: 2, max_answers_total: 1').toSorted()).toEqual(['hint panel-answers 1', 'warning panel-idle-key 2']);
  });

  it.each([
    'injection: off',
    'injection: mid_stream, max_injections: 1, first_injection: restart',
    'injection: restart, first_injection: mid_stream, max_injections: 1',
    'novelty: strict, max_answers_per_agent: 2',
    'grace: 1m, round_timeout: 5m',
  ])('that says something is fine: %s', (panel) => {
    expect(about(panel)).toEqual([]);
  });
});

describe('what a panel publishes', () => {
  it('is written out, or has a default', () => {
    expect(about('voting: strict', { hat: 'publishes: [a.done]' })).toEqual([]);
    expect(about('voting: strict', { hat: 'publishes: ["a.*", a.done]' })).toEqual([]);
    expect(about('voting: strict', { hat: 'publishes: ["a.*"]\n    default_publishes: [a.done]' })).toEqual([]);
    expect(about('voting: strict', { hat: 'publishes: ["a.*"]' })).toEqual(['warning panel-topics publishes']);
  });
});

it('of a panel that has too few agents, or none that can be read, nothing more is said', () => {
  const two = 'agents: [{id: one}], timeout: 20h, injection: off, max_injections: 1';
  expect(findingsOf(`hats:\n  a:\n    triggers: [x]\n    panel: {${two}}\n`)).toEqual(['error panel-agents agents']);
});
