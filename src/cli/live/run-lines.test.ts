import { expect, it } from 'vitest';
import { CONFLICTED, createScript } from '../../views/fixtures.ts';
import { createRunViewFold } from '../../views/fold/fold-run-view.ts';
import { createFakeContext } from '../fixtures.ts';
import { type Look, toEffectLines, toFleetLine, toInputLines, toStopText } from './run-lines.ts';

it.each([
  [{ how: 'interrupt', by: 'Ctrl+C' }, 'Ctrl+C: stopping; agents at work have 10 seconds to clean up. Ctrl+C again kills them at once.'],
  [{ how: 'interrupt', by: 'ralph stop (ann)' }, 'ralph stop (ann): stopping; agents at work have 10 seconds to clean up.'],
  [{ how: 'terminate', by: 'SIGTERM' }, 'SIGTERM: stopping; agents at work have 10 seconds to clean up.'],
] as const)('a stop says what happens now, and of a second Ctrl+C to whoever pressed the first: %j', (stop, text) => {
  expect(toStopText(stop)).toBe(text);
});

it('a turn on a fleet says at which worker it is', () => {
  const { style } = createFakeContext({}).context.terminal;
  const look: Look = { style, verbose: false, columns: () => 80, isSolo: () => false };
  const input = {
    ...{ type: 'iteration-spawned' as const, at: 5, iteration: 1, attempt: 1, pid: null, processStart: null, backend: 'custom', argv: [] },
    ...{ promptHash: '', promptTokens: 1 },
  };
  expect(toInputLines({ ...input, worker: 'w1\u001b[31m' }, null, look, 3)).toEqual(['  at work on worker w1']);
  expect(toInputLines(input, null, look, 3)).toEqual([]);
});

it('a hook that a worker ran says where, and what it decided; one that ran here says nothing', () => {
  const { style } = createFakeContext({}).context.terminal;
  const look: Look = { style, verbose: false, columns: () => 80, isSolo: () => false };
  const run = { name: 'check.sh', decision: 'deny' as const, reason: 'no proof', error: null, ms: 1500 };
  const answers = [{ isDropped: true, reason: '', told: [], runs: [{ ...run, worker: 'strong' }, run] }];
  expect(toInputLines({ type: 'hooks-answered', at: 5, request: 1, answers }, null, look, 3)).toEqual([
    '  · hook check.sh on worker strong: deny, after 1.5 s',
  ]);
});

it('a hook that failed is a warning, wherever it ran: it has looked at nothing', () => {
  const { style } = createFakeContext({}).context.terminal;
  const look: Look = { style, verbose: false, columns: () => 80, isSolo: () => false };
  const failed = { name: 'guard', decision: 'allow' as const, reason: '', error: 'no answer in time (2.0 s)', ms: 2000 };
  const answers = [{ isDropped: false, reason: '', told: [], runs: [failed, { ...failed, worker: 'strong' }] }];
  expect(toInputLines({ type: 'hooks-answered', at: 5, request: 1, answers }, null, look, 3)).toEqual([
    '  ! hook guard failed (no answer in time (2.0 s)): allow',
    '  ! hook guard on worker strong failed (no answer in time (2.0 s)): allow',
  ]);
});

it('a turn whose files others changed is one line: who gets it again, and why', () => {
  const { style } = createFakeContext({}).context.terminal;
  const look: Look = { style, verbose: false, columns: () => 80, isSolo: () => false };
  const script = createScript();
  script.startTurn('builder', 2);
  script.endTurn(2, CONFLICTED);
  script.effect({ type: 'notice', level: 'warning', code: 'work-conflict', text: 'What builder made was not taken over: …' });
  script.effect({ type: 'event-reject', id: 'e9', iteration: 2, hat: 'builder', topic: 'build.done', why: 'conflict', allowed: [] });
  const fold = createRunViewFold();
  const lines = script.records.flatMap((record) => {
    fold.take(record);
    if (record.kind === 'input') return toInputLines(record.input, fold.turnOf(record), look, record.seq);
    return record.kind === 'effect' ? toEffectLines(record.effect, look) : [];
  });
  expect(lines).toEqual(['  ↻ builder gets its turn again: a.txt, b.txt were changed meanwhile']);
});

it('a fleet that is away is told of, and when it answers again', () => {
  const { style } = createFakeContext({}).context.terminal;
  const look: Look = { style, verbose: false, columns: () => 80, isSolo: () => false };
  expect(toFleetLine({ isAway: true, since: 1000 }, look, 4100)).toBe(
    '  ! the fleet has not answered for 3.1 s: the run waits for it, for a minute or two',
  );
  expect(toFleetLine({ isAway: true, since: 1000, why: "the fleet's folder is gone: there is no /f/drafts" }, look, 4100)).toBe(
    "  ! the fleet cannot be asked (the fleet's folder is gone: there is no /f/drafts): the run waits for it, for a minute or two",
  );
  expect(toFleetLine({ isAway: false, since: 1000 }, look, 21_000)).toBe('  · the fleet answers again, after 20.0 s');
});
