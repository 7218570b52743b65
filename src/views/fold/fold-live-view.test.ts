import { expect, it } from 'vitest';
import { createScript } from '../fixtures.ts';
import { createLiveFold, toLiveLine } from './fold-live-view.ts';
import { createRunViewFold } from './fold-run-view.ts';

it('counts the turn that runs against the limit as the report does: interrupted ones before it do not count', () => {
  const script = createScript();
  const tell = (): string => {
    const fold = createRunViewFold();
    const live = createLiveFold(() => 0);
    for (const record of script.records) {
      fold.take(record);
      live.take(record);
    }
    return toLiveLine(live.view(), fold.progress(), 0, 200).split(' · ')[0] ?? '';
  };
  script.startTurn('planner', 1);
  expect(tell()).toBe('turn 1 of 12');
  script.endTurn(1, { outcome: { status: 'interrupted' } });
  script.startTurn('planner', 2);
  expect(tell()).toBe('turn 2 (1 of 12)');
});
