import { expect, it } from 'vitest';
import type { IterationSpawned } from '../../core/run/inputs.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import { makeHat } from '../../core/spec-fixtures.ts';
import { type Play, play, write } from './decide-fixtures.ts';

const HATS: readonly HatSpec[] = [
  makeHat('builder', ['build.start', 'review.changes'], ['build.done']),
  makeHat('critic', ['build.done'], ['review.changes', 'review.ok']),
];

/** The agent of the running turn is there, with so many tools. */
function spawn(run: Play, tools?: number): void {
  const { iteration, attempt } = run.turn();
  const facts = { pid: 1, processStart: null, backend: 'fake', argv: [], promptHash: '', promptTokens: 0 };
  const input: Omit<IterationSpawned, 'at'> = { type: 'iteration-spawned', iteration, attempt, ...facts };
  run.post(tools === undefined ? input : { ...input, tools });
}

/** A run whose next turn is the builder's, with Ralph's turn behind it. */
function startBuilder(): Play {
  const run = play({ hats: HATS });
  spawn(run);
  run.end([write('build.start')]);
  return run;
}

const switches = (run: Play): readonly string[] => run.all('notice').flatMap(({ code, text }) => (code === 'hat-switched' ? [text] : []));

it('a change of the hat is told with the number of its tools', () => {
  const run = startBuilder();
  spawn(run, 18);
  run.end([write('build.done')]);
  spawn(run, 14);
  expect(switches(run)).toEqual(['switched to builder (18 tools available)', 'switched to critic (14 tools available)']);
  expect(run.last('notice')).toMatchObject({ level: 'info' });
});

it('the same hat again, and a second attempt, are no change', () => {
  const run = startBuilder();
  spawn(run, 18);
  run.fail({ class: 'transient' });
  run.ring();
  spawn(run, 18);
  run.interrupt();
  run.resume();
  spawn(run, 17);
  expect([run.turn().hat, switches(run)]).toEqual(['builder', ['switched to builder (18 tools available)']]);
});

it('a hat that no profile holds back is not counted, and the next one is told again', () => {
  const run = startBuilder();
  spawn(run);
  run.end([write('build.done')]);
  spawn(run, 14);
  run.end([write('review.changes')]);
  spawn(run);
  run.end([write('build.done', 'again')]);
  spawn(run, 14);
  expect(switches(run)).toEqual(['switched to critic (14 tools available)', 'switched to critic (14 tools available)']);
});

it('tools that changed while the run stood still are told by their new number', () => {
  const run = startBuilder();
  spawn(run, 18);
  run.end([write('build.done')]);
  spawn(run, 14);
  run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
  run.interrupt();
  run.resume();
  expect(run.turn().hat).toBe('critic');
  run.end([write('review.changes')]);
  spawn(run, 9);
  expect(switches(run).at(-1)).toBe('switched to builder (9 tools available)');
});
