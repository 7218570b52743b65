import { expect, it } from 'vitest';
import { CONFLICTED, createScript } from '../fixtures.ts';
import { createLiveFold } from '../fold/fold-live-view.ts';
import { foldRunView } from '../fold/fold-run-view.ts';
import { toRunReport } from './run-report.ts';
import { toRunStatus } from './run-status.ts';
import { toTurnDetails } from './turn-details.ts';
import { toAboutText, toTurnLine } from './turn-line.ts';

it('a turn whose files others changed says that its hat gets it again, and what is kept where only in its details; the second time it failed', () => {
  const script = createScript();
  script.startTurn('builder', 2);
  script.endTurn(2, CONFLICTED);
  script.effect({ type: 'event-reject', id: 'e9', iteration: 2, hat: 'builder', topic: 'build.done', why: 'conflict', allowed: [] });
  script.startTurn('builder', 3, { isRepeated: true });
  script.endTurn(3, CONFLICTED);
  script.effect({ type: 'run-end', reason: 'interrupted', detail: 'stopped by Ctrl+C' });
  const view = foldRunView(script.records);
  const [first, second] = view.turns;
  if (first === undefined || second === undefined) throw new Error('two turns began');
  expect(toTurnLine(first)).toBe(
    '2 builder failed after 45.0 s, $0.0200: a.txt, b.txt were changed meanwhile, so its hat gets the turn again',
  );
  expect(toTurnLine(second)).toMatch(/a\.txt, b\.txt were changed meanwhile, once more$/);
  const rows = toTurnDetails(first).filter(({ label }) => label === 'Conflict');
  expect(rows.map(({ text }) => text)).toEqual([
    'what it made is not in the folder: a.txt, b.txt were changed meanwhile. Nothing that it published counts, and its hat gets the same events again.',
    'it is kept in the folder of the run: copies/kept-2.1',
  ]);
  const report = toRunReport(view).rows;
  expect(report).toContainEqual({ label: 'Done', text: 'builder 2 turns (1 failed, 1 done again); 0 events routed' });
  expect(report.filter(({ label }) => label === 'Refused')).toEqual([]);
});

it('several turns of a hat at the same time are told apart by the events that they work on', () => {
  const script = createScript();
  for (const payload of ['Cut the wood', `Build the boat\u001b[2J ${'x'.repeat(200)}`])
    script.publish('task.ready', 'planner', ['builder'], { payload });
  script.startTurn('builder', 2, { place: 2, events: ['e1'], worker: 'w1' });
  script.startTurn('builder', 3, { place: 3, events: ['e2'] });
  const view = foldRunView(script.records);
  const [first, second] = view.turns;
  if (first === undefined || second === undefined) throw new Error('two turns began');
  expect(toTurnLine(first)).toBe('2 builder (task.ready e1: Cut the wood) on worker w1 is running');
  expect(toAboutText(second)).toMatch(/^task\.ready e2: Build the boat x+…$/);
  const live = createLiveFold(() => view.at);
  for (const record of script.records) live.take(record);
  const report = toRunStatus(view, { isAlive: true, now: view.at, live: live.view() });
  const text = report.rows.map((row) => `${row.label}: ${row.text}`).join('\n');
  expect(text).toContain('State: working: Iteration 2 (builder), iteration 3 (builder) work at the same time.');
  expect(text).toContain('Now: iteration 2, builder (claude) on worker w1 for 2.0 s, on task.ready e1: Cut the wood');
  expect(text).toMatch(/Output: builder 2: none yet.*\nOutput: builder 3: none yet/);
  script.startTurn('planner', 4, { events: ['e1'] });
  expect(foldRunView(script.records).turns.map((turn) => toAboutText(turn) === '')).toEqual([false, false, true]);
});
