import { describe, expect, it } from 'vitest';
import { makePanelRecords, SAMPLE_MOVES } from '../../core/run/panel-fixtures.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import { completedRun, createScript, limitedRun, START, sampleSpec } from '../fixtures.ts';
import { toRunningReport } from '../report/running-report.ts';
import { toRunFrame } from './run-frame.ts';
import { createRunHistory } from './run-history.ts';
import { toTimeline } from './timeline.ts';
import { toEventPage, toTurnDetail, toTurnPage } from './turn-rows.ts';
import type { RunHistory } from './watched-run.ts';

const NOW = { isAlive: true, now: START + 3_600_000, live: null };

function historyOf(records: readonly RunRecord[]): RunHistory {
  const history = createRunHistory();
  for (const record of records) history.take(record);
  return history;
}

/** The input after which the first gate was red. */
const RED = 6;

describe('a frame', () => {
  const history = historyOf(completedRun().records);

  it('tells of an earlier moment what was known then, and nothing that came later', () => {
    const frame = toRunFrame(history, NOW, RED);
    expect(frame).toMatchObject({ seq: RED, isNow: false, state: 'running', end: null });
    expect(frame.attention.state).toBe('gate_red');
    expect(frame.evidence[0]).toMatchObject({ verdict: 'failed', runs: 1, failures: 1, iteration: 2, why: '# fail 1' });
    expect(frame.progress.iterations).toBe(2);
    expect(frame.working.map(({ hat }) => hat)).toEqual(['planner']);
  });

  it('tells of the last moment how it ended', () => {
    const frame = toRunFrame(history, NOW);
    expect(frame).toMatchObject({ isNow: true, state: 'ended', working: [], turnCount: 6 });
    expect(frame.attention.state).toBe('done');
    expect(frame.evidence[0]).toMatchObject({ verdict: 'passed', runs: 3, failures: 1 });
    expect(frame.graph?.edges.some(({ topic, count }) => topic === 'build.task' && count === 2)).toBe(true);
  });

  it('of a run on a fleet says so, and at which worker its turns are', () => {
    const script = createScript();
    script.publish('task.start', 'system', ['planner']);
    script.startTurn('planner', 1, { worker: 'w1' });
    script.endTurn(1);
    script.startTurn('builder', 2, { worker: null });
    const facts = { ...NOW, fleet: 'nats://10.0.0.5:4222' };
    const onFleet = historyOf(script.records);
    const frame = toRunFrame(onFleet, facts);
    expect([frame.fleet, frame.working.map(({ worker }) => worker)]).toEqual(['nats://10.0.0.5:4222', [null]]);
    expect(frame.attention.evidence).toContain('waits for a worker');
    expect(toRunFrame(onFleet, facts, 2).fleet).toBe('nats://10.0.0.5:4222');
    expect(toTurnPage(onFleet, { from: 0, count: 9 }).rows.map(({ worker }) => worker)).toEqual(['w1', null]);
    expect(toTurnDetail(onFleet, 0)?.rows).toContainEqual({ label: 'Worker', text: 'w1' });
    expect(toRunFrame(history, NOW).fleet).toBe(null);
  });

  it('says which worker has the round of which agent of a panel, and what waits for one, in the words of the status', () => {
    const records = makePanelRecords([...SAMPLE_MOVES.slice(0, 1), { kind: 'round-started', agent: 1, round: 1, worker: 'w1' }]);
    const round = { title: 'Agent anna', labels: ['claude', 'gpu'], worker: null, since: START + 5000 };
    const live = { turn: null, gates: null, wait: null, programs: [{ program: '1.1.1.1', ...round }] };
    const facts = { ...NOW, now: START + 9000, fleet: 'nats://10.0.0.5:4222' };
    const history = historyOf(records);
    const frame = toRunFrame(history, { ...facts, live });
    expect(frame.programs).toMatchObject([
      { text: 'Agent anna waits for a worker with claude, gpu', waits: true, since: START + 5000 },
      { text: 'Agent ben runs on worker w1', waits: false },
    ]);
    const status = JSON.stringify(toRunningReport(history.view(), { ...facts, live }));
    for (const { text } of frame.programs) expect(status).toContain(text);
    // One row says what the run does now; those of its panel say where each agent stands, and who waits for a worker is not at work.
    const rows = toRunningReport(history.view(), { ...facts, live }).rows.filter(({ label }) => ['Now', 'Panel', 'Waits'].includes(label));
    expect(rows.map(({ label, text }) => `${label}: ${text}`)).toEqual([
      expect.stringMatching(/^Now: iteration 1, /),
      'Panel: 3 agents: 2 work, 1 waits',
      'Waits: Agent anna waits for a worker with claude, gpu for 4.0 s',
      expect.stringMatching(/^Panel: Agent ben runs on worker w1 for /),
    ]);
    expect(frame.working).toMatchObject([{ worker: null, waitsForWorker: false }]);
    // One round is one row, whatever its agent is called, for names are cut in the journal's rows.
    const named = { program: '1.1.2.1', ...round, title: `Agent ${'ben'.repeat(20)}`, worker: 'w1' };
    expect(toRunFrame(history, { ...facts, live: { ...live, programs: [named] } }).programs).toHaveLength(1);
    // Elsewhere, and of an earlier moment, the journal alone says who has which.
    expect(toRunFrame(history, facts).programs.map(({ text }) => text)).toEqual(['Agent ben runs on worker w1']);
    const earlier = toRunFrame(history, { ...facts, live }, history.lastSeq() - 1);
    expect([earlier.programs, earlier.working]).toMatchObject([[], [{ waitsForWorker: true }]]);
    expect(toRunFrame(history, { ...facts, live, isAlive: false }).programs).toEqual([]);
  });

  it('adds up what each hat has used', () => {
    const { hats } = toRunFrame(history, NOW);
    expect(hats.map(({ id, turns }) => [id, turns])).toEqual([
      ['planner', 3],
      ['builder', 2],
      ['reviewer', 1],
    ]);
    expect(hats.find(({ id }) => id === 'builder')?.costUsd).toBeCloseTo(0.04);
  });

  it('does not grow with the task, nor with what was asked and told', () => {
    const view = history.view();
    const toQuestion = (number: number, isOpen: boolean) => ({
      ...{ id: `q${number}`, hat: 'planner', purpose: 'question' as const, text: 'Now?', choices: ['yes', 'no'], default: 'no' },
      ...{ dueAt: START, askedAt: START, answer: isOpen ? null : { choice: 'no', by: 'deadline' as const, at: START } },
    });
    const told = (number: number) => ({ id: `t${number}`, seq: number, at: START, text: 'x', to: null, when: 'now' as const, given: null });
    const numbers = Array.from({ length: 500 }, (_, index) => index);
    const questions = numbers.map((number) => toQuestion(number, number === 3));
    const long = { ...view, objective: 'x'.repeat(100_000), questions, tells: numbers.map(told) } as unknown as typeof view;
    const frame = toRunFrame({ ...history, view: () => long }, NOW);
    expect(frame.questions.map(({ id }) => id)).toEqual(['q3', ...numbers.slice(-50).map((number) => `q${number}`)]);
    expect(frame.tells.map(({ id }) => id)).toEqual(numbers.slice(-50).map((number) => `t${number}`));
    expect(frame.objective).toHaveLength(4000);
  });

  it('is of nothing before the first input', () => {
    expect(toRunFrame(history, NOW, 0)).toMatchObject({ seq: 0, turnCount: 0, eventCount: 0, graph: null });
  });

  it('stands at the last input for one that is not there yet', () => {
    expect(toRunFrame(history, NOW, 10_000)).toMatchObject({ seq: history.lastSeq(), isNow: true });
  });

  it('says that a run has not ended whose process is gone, and what brings it on', () => {
    const script = createScript();
    script.publish('task.start', 'system', ['planner']);
    script.startTurn('planner', 1);
    const frame = toRunFrame(historyOf(script.records), { ...NOW, isAlive: false });
    expect(frame.state).toBe('gone');
    expect(frame.attention).toMatchObject({ state: 'needs_you', action: expect.stringContaining('ralph resume') });
  });

  it('lists all that a run needs, the most urgent first', () => {
    const script = createScript(sampleSpec({ limits: { ...sampleSpec().limits, maxIterations: 2 } }));
    script.publish('task.start', 'system', ['planner']);
    script.startTurn('planner', 1);
    script.endTurn(1);
    script.publish('build.task', 'planner', ['builder']);
    script.startTurn('builder', 2);
    script.endTurn(2);
    script.effect({ type: 'gates-run', request: 1, gates: [0], topics: ['build.done'] });
    script.input({
      type: 'gates-finished',
      request: 1,
      results: [{ gate: 0, command: 'node --test', passed: false, exitCode: 1, timedOut: false, durationMs: 5, outputTail: 'x' }],
    });
    const { attentions, attention } = toRunFrame(historyOf(script.records), NOW);
    expect(attentions.map(({ state }) => state)).toEqual(['gate_red', 'limit_near', 'working']);
    expect(attentions[0]).toEqual(attention);
  });

  it('names who may come next while an agent is at work, by what it may publish', () => {
    expect(toRunFrame(history, NOW, RED).next).toMatch(/^builder on build\.task/);
  });

  it('names who works next', () => {
    const script = createScript();
    script.publish('task.start', 'system', ['planner']);
    script.startTurn('planner', 1);
    script.endTurn(1);
    script.publish('build.task', 'planner', ['builder']);
    expect(toRunFrame(historyOf(script.records), NOW).next).toBe('builder works next, on build.task.');
  });

  it('says how many turns have changed files since a verdict', () => {
    const script = createScript();
    script.publish('task.start', 'system', ['planner']);
    script.startTurn('planner', 1);
    script.endTurn(1, { treeChanged: true });
    script.effect({ type: 'gates-run', request: 1, gates: [0], topics: ['build.done'] });
    const result = { gate: 0, command: 'node --test', passed: true, exitCode: 0, timedOut: false, durationMs: 5, outputTail: '' };
    script.input({ type: 'gates-finished', request: 1, results: [result] });
    const changedSince = (): number | null | undefined => toRunFrame(historyOf(script.records), NOW).evidence[0]?.changedSince;
    expect(changedSince()).toBe(0);
    script.startTurn('builder', 2);
    expect(changedSince()).toBeNull();
    script.endTurn(2, { treeChanged: true });
    expect(changedSince()).toBe(1);
  });
});

describe('pages', () => {
  const history = historyOf(completedRun().records);

  it('give turns from a place on, or from the end', () => {
    expect(toTurnPage(history, { from: 1, count: 2 }).rows.map(({ name }) => name)).toEqual(['2.1', '3.1']);
    expect(toTurnPage(history, { from: -1, count: 5 })).toMatchObject({ from: 5, total: 6, rows: [{ name: '6.1', hat: 'planner' }] });
    expect(toTurnPage(history, { from: 99, count: 5 })).toEqual({ from: 6, total: 6, rows: [] });
  });

  it('give of an earlier moment only what had begun', () => {
    const page = toTurnPage(history, { from: 0, count: 10, seq: RED });
    expect(page.total).toBe(3);
    expect(page.rows.at(-1)).toMatchObject({ status: 'running', endSeq: null });
    expect(page.rows[1]?.gates).toBe('failed');
  });

  it('give events without their payloads', () => {
    const { rows, total } = toEventPage(history, { from: 0, count: 3 });
    expect(rows.map(({ topic }) => topic)).toEqual(['task.start', 'build.task', 'builder.scope_violation']);
    expect(rows[1]).toMatchObject({ excerpt: 'Round prices to cents.', causes: ['e1'] });
    expect(total).toBe(history.countEvents());
  });

  it('tell of a turn all that is known of it at that moment', () => {
    expect(toTurnDetail(history, 1)?.rows.map(({ label }) => label)).toContain('Gate');
    expect(toTurnDetail(history, 1, 2)).toBeNull();
    expect(toTurnDetail(history, 99)).toBeNull();
  });
});

describe('a timeline', () => {
  it('divides all inputs, and marks what went wrong where it did', () => {
    const history = historyOf(completedRun().records);
    const slots = toTimeline(history, 5);
    expect(slots[0]?.fromSeq).toBe(1);
    expect(slots.at(-1)?.toSeq).toBe(history.lastSeq());
    for (const [index, slot] of slots.entries()) if (index > 0) expect(slot.fromSeq).toBe((slots[index - 1]?.toSeq ?? 0) + 1);
    expect(slots.some(({ mark }) => mark === 'red')).toBe(true);
    expect(toTimeline(historyOf(limitedRun().records), 100).some(({ mark }) => mark === 'failed')).toBe(true);
  });

  it('has no slot before the first input', () => {
    expect(toTimeline(createRunHistory(), 10)).toEqual([]);
  });
});
