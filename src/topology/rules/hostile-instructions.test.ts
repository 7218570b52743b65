import { expect, it } from 'vitest';
import { propertySize } from '../../core/property-fixtures.ts';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from '../routing/compile-topology.ts';
import { validateTopology } from './validate-topology.ts';

/** What would make a careless reader of texts go over them again and again. */
const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['one word without end', 'a'.repeat(propertySize(500_000))],
  ['dots', 'a.'.repeat(propertySize(250_000))],
  ['closing marks', `emit ${')'.repeat(propertySize(300_000))}x`],
  ['colons', `output ${':'.repeat(propertySize(300_000))}x LOOP_COMPLETE`],
  ['one order without end', 'emit '.repeat(propertySize(100_000))],
  ['the promise without end', 'Never output LOOP_COMPLETE, '.repeat(propertySize(20_000))],
  ['topics without end', 'do not emit x.y or '.repeat(propertySize(20_000))],
  ['spaces', `emit${' '.repeat(propertySize(300_000))}x.y`],
  ['list entries', 'Emit:\n- x.y\n'.repeat(propertySize(30_000))],
  ['signals', '<event topic="'.repeat(propertySize(30_000))],
];

it.each(TEXTS)('reads %s in one go', (_, text) => {
  const hats = [
    makeHat('planner', ['task.start', 'task.resume', 'x.y'], ['b.go']),
    makeHat('b', ['b.go'], ['b.done'], { instructions: text }),
  ];
  expect(Array.isArray(validateTopology(compileTopology(makeSpec({ hats, terminalEvents: ['b.done'] }))))).toBe(true);
});
