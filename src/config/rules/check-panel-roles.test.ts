import { describe, expect, it } from 'vitest';
import { findingsOf, loadText } from '../config-fixtures.ts';

const toYaml = (panel: string, rest = ''): string =>
  `${rest}hats:\n  a:\n    triggers: [x]\n    panel: {agents: [{id: one}, {id: two}, {id: three}, {id: four}], ${panel}}\n  bringer: {triggers: [y]}\n`;
const about = (panel: string, rest = '') => findingsOf(toYaml(panel, rest));

describe('the synthesizer of a panel', () => {
  it('is one of its agents, and is not counted among those that answer', () => {
    expect(about('strategy: synthesize, synthesizer: four')).toEqual([]);
    expect(about('tie: synthesizer, synthesizer: four')).toEqual([]);
    expect(
      findingsOf('hats: {a: {triggers: [x], panel: {agents: [{id: one}, {id: two}], strategy: synthesize, synthesizer: two}}}'),
    ).toEqual(['error panel-agents agents']);
  });

  it('that is no agent is refused, with the id that is near', () => {
    expect(about('tie: first, strategy: synthesize, synthesizer: thre')).toEqual(['error panel-synthesizer thre']);
    expect(loadText(toYaml('tie: first, strategy: synthesize, synthesizer: thre')).diagnostics[0]?.repairs).toMatchObject([
      { title: 'write `three`' },
    ]);
  });

  it('that has nothing to do is told', () => {
    expect(about('synthesizer: four')).toEqual(['warning panel-synthesizer four']);
  });
});

describe('the conflicts of a panel', () => {
  it('go to a hat that is there, or to Ralph', () => {
    expect(about('tie: first, conflicts: bringer')).toEqual([]);
    expect(about('tie: first, conflicts: ralph')).toEqual([]);
    expect(about('tie: first, conflicts: bringr')).toEqual(['error panel-conflicts bringr']);
  });
});

describe('a panel that gates decide', () => {
  it('has a gate that is required, and for its hat', () => {
    const panel = 'tie: first, strategy: best_of';
    expect(about(panel, 'gates: [{run: npm test}]\n')).toEqual([]);
    expect(about(panel, 'gates: [{run: npm test, hats: [a]}]\n')).toEqual([]);
    for (const gates of ['', 'gates: [{run: npm test, required: false}]\n', 'gates: [{run: npm test, hats: [bringer]}]\n'])
      expect(about(panel, gates)).toEqual(['warning panel-no-gates best_of']);
  });
});
