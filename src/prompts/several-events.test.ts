import { describe, expect, it } from 'vitest';
import { makeHat } from '../core/spec-fixtures.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { buildPrompt } from './build-prompt.ts';
import { SELF_COORDINATED, SETTINGS, sampleEvent, sampleTopology, sampleTurn, TEAM } from './fixtures.ts';

const FIRST = sampleEvent('build.task', 'Add the flag.', { source: 'ralph', id: 'e1' });
const SECOND = sampleEvent('human.guidance', 'Also the docs.', { source: 'external', id: 'e2' });

const ask = (topology: Topology, hat: string, count: 1 | 2): string =>
  buildPrompt(topology, sampleTurn(hat, { events: [FIRST, SECOND].slice(0, count) }), SETTINGS);

const lone = sampleTopology({ hats: [makeHat('worker', ['task.start', 'task.resume'], [])] });

const READERS: readonly (readonly [string, Topology, string])[] = [
  ['a hat', sampleTopology({ hats: TEAM }), 'builder'],
  ['a lone hat', lone, 'worker'],
  ['the coordinator', sampleTopology({ hats: TEAM }), 'ralph'],
  ['the safety net', sampleTopology({ hats: SELF_COORDINATED }), 'ralph'],
  ['Ralph alone', sampleTopology(), 'ralph'],
  ['the classic loop', sampleTopology({ mode: 'single' }), 'default'],
];

describe('several events that wait', () => {
  it.each(READERS)('are the task of %s, and no sentence allows only one of them', (_, topology, hat) => {
    const prompt = ask(topology, hat, 2);
    expect(prompt).toContain('Several events called you');
    for (const only of [/\bONE topic\b/, /\bonce, (as your last act|and stop)/, /do ONE task/i, /delegate ONE task and/i, /only ONE small/])
      expect(prompt).not.toMatch(only);
    expect(prompt).not.toMatch(/Publish ONE event/);
  });

  it.each(READERS)('are not spoken of to %s where one event called', (_, topology, hat) => {
    const prompt = ask(topology, hat, 1);
    expect(prompt).not.toMatch(/Several events|each event/i);
    expect(prompt).toMatch(/ONE/);
  });

  it('get one event each, as the last acts, from who coordinates and from a hat', () => {
    expect(ask(sampleTopology({ hats: TEAM }), 'ralph', 2)).toMatch(/for each event that called you publish at most ONE of these topics/);
    expect(ask(sampleTopology({ hats: TEAM }), 'builder', 2)).toMatch(/publish ONE of these topics for each event that called you/);
  });
});
