import { expect, it } from 'vitest';
import { CONFLICTED, createScript } from '../fixtures.ts';
import { foldRunView } from '../fold/fold-run-view.ts';
import { toRunReport } from './run-report.ts';
import { toTurnDetails } from './turn-details.ts';
import { toTurnLine } from './turn-line.ts';

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
