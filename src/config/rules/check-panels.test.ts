import { describe, expect, it } from 'vitest';
import { findingsOf, loadText } from '../config-fixtures.ts';

const toYaml = (panel: string, rest = ''): string => `hats:\n  a:\n    triggers: [x]\n    ${rest}\n    panel: {${panel}}\n`;
const about = (panel: string, rest = '') => findingsOf(toYaml(panel, rest));

const THREE = 'agents: [{id: one}, {id: two}, {id: three}]';

describe('panels', () => {
  it('of three agents are fine', () => {
    expect(about(`${THREE}, quorum: 3, min_agents: 3, max_answers_total: 3`, 'backend: claude')).toEqual([]);
    expect(about(THREE, 'backend: [claude]')).toEqual([]);
  });

  it.each(['[]', '[{id: one}]', '{id: one}'])('of %s have too few agents', (agents) => {
    expect(about(`agents: ${agents}`)).toEqual(['error panel-agents agents']);
  });

  it('without any are told once', () => {
    expect(about('')).toEqual(['error key-missing panel']);
    expect(about('agents: ')).toEqual(['error key-missing agents']);
    expect(about('agents: [5]')).toEqual(['error type-invalid 5']);
  });

  it('have agents with ids of their own', () => {
    const { diagnostics } = loadText(toYaml('agents: [5, {id: one}, {id: two}, {id: one}, {id: one}]'));
    const found = diagnostics.filter(({ code }) => code === 'panel-agent-id');
    expect(found.map(({ column, related }) => [column, related?.[0]?.column])).toEqual([
      [52, 30],
      [63, 30],
    ]);
  });

  it.each(['"a b"', 'a.b', '../x', 'ralph', 'constructor', '__proto__'])('have no agent that is called %s', (id) => {
    expect(about(`agents: [{id: ${id}}, {id: two}, {id: three}]`)).toEqual([`error panel-agent-id ${id}`]);
  });

  it('ask for no more votes and agents than there are', () => {
    expect(about(`${THREE}, quorum: 4`)).toEqual(['error panel-bounds 4']);
    expect(about(`${THREE}, min_agents: 5`)).toEqual(['error panel-bounds 5']);
    expect(loadText(toYaml(`${THREE}, quorum: 4`)).diagnostics[0]?.repairs).toEqual([
      { title: 'write `3`', isSafe: false, change: { kind: 'replace', text: '3' } },
    ]);
  });

  it('allow as many answers as they ask for', () => {
    expect(about(`${THREE}, max_answers_total: 3`)).toEqual([]);
    expect(about(`${THREE}, min_agents: 3, max_answers_total: 2`)).toEqual(['error panel-bounds 2']);
  });

  it('of an even number may tie', () => {
    expect(about('agents: [{id: one}, {id: two}]')).toEqual(['warning panel-even agents']);
    expect(about('agents: [{id: one}, {id: two}], tie: first')).toEqual([]);
    expect(loadText(toYaml('agents: [{id: one}, {id: two}, {id: three}, {id: four}]')).settings).not.toBeNull();
  });

  it('stand beside no list of backends', () => {
    expect(about(THREE, 'backend: [claude, codex]')).toEqual(['error panel-backends backend']);
  });

  it('are those of hats: Ralph has none', () => {
    expect(findingsOf(`ralph: {panel: {${THREE}}}`)).toEqual(['warning key-unknown panel']);
  });
});
