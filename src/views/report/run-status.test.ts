import { describe, expect, it } from 'vitest';
import { toDurationText } from '../../core/text/duration.ts';
import { parseJson } from '../../core/values/json.ts';
import { createScript } from '../fixtures.ts';
import { createLiveFold, parseLiveView, toLiveLine } from '../fold/fold-live-view.ts';
import { foldRunView } from '../fold/fold-run-view.ts';
import type { RunView } from '../fold/run-view.ts';
import { type RunElsewhere, toElsewhereReport } from './elsewhere-report.ts';
import { toRunReport } from './run-report.ts';
import { toRunStatus, toStatusRecord } from './run-status.ts';
import { type StatusFacts, toElapsedNow } from './running-report.ts';

/** A run whose first turn is in a tool call, some time later. */
function openStuck(laterMs: number) {
  const script = createScript();
  script.publish('task.start', 'system', ['planner']);
  script.startTurn('planner', 1);
  const view = foldRunView(script.records);
  const live = createLiveFold(() => view.at);
  for (const record of script.records) live.take(record);
  live.take({
    kind: 'live',
    iteration: 1,
    attempt: 1,
    hat: 'planner',
    event: { type: 'tool-start', id: 't', name: 'Bash', summary: 'npm test' },
  });
  return { view, facts: { isAlive: true, now: view.at + laterMs, live: live.view() } };
}

const toText = ({ view, facts }: { readonly view: RunView; readonly facts: StatusFacts }): string =>
  toRunStatus(view, facts)
    .rows.map(({ label, text }) => `${label}: ${text}`)
    .join('\n');

describe('the status of a run', () => {
  it('answers whether it is stuck: the tool call and since when, the last output and how long silence is allowed', () => {
    const text = toText(openStuck(90_000));
    expect(text).toContain('Tool: Bash npm test for 1 min 30 s');
    expect(text).toMatch(/Output: the last one 1 min 30 s ago; after \d+ .* of silence the turn is ended/);
  });

  it('says that nothing has come yet of an agent that has written nothing, to programs too', () => {
    const script = createScript();
    script.publish('task.start', 'system', ['planner']);
    script.startTurn('planner', 1);
    const view = foldRunView(script.records);
    const fold = createLiveFold(() => view.at);
    for (const record of script.records) fold.take(record);
    const facts = { isAlive: true, now: view.at + 4200, live: fold.view() };
    expect(toText({ view, facts })).toMatch(/Output: none yet; after \d+ .* of silence the turn is ended/);
    expect(facts.live.turn).toMatchObject({ lastOutputAt: null });
    expect(parseLiveView(parseJson(JSON.stringify(facts.live)))?.turn).toEqual(facts.live.turn);
  });

  it('says of a run that is not here any more where it is and how it is seen there, and nothing of what to do with it here', () => {
    const { view, facts } = openStuck(4200);
    const place = { host: 'desk', worker: 'w2', fleet: 'nats://10.0.0.5:4222', option: '--fleet', lostAfterMs: 20_000, hasWorkers: true };
    const at = (state: RunElsewhere['state']) => {
      const report = toRunStatus(view, { ...facts, isAlive: false, isNewest: true, elsewhere: { ...place, state } });
      return [report.headline, report.rows.findLast(({ label }) => label === 'Next')?.text];
    };
    expect(at('held')).toEqual([
      `Run ${view.runId} goes on with the worker w2 on desk; what is here is of when it left.`,
      expect.stringContaining(`See it: \`ralph status ${view.runId} --fleet\``),
    ]);
    expect(at('free')).toEqual([expect.stringContaining('and was stopped there'), '`ralph resume` brings it home, and goes on with it.']);
    expect(at('ended')).toEqual([expect.stringContaining('and is complete'), '`ralph resume` brings it home.']);
    expect(at('lost')).toEqual([
      expect.stringContaining('nobody has it now: it went on with the worker w2 on desk, which is lost.'),
      'A worker that continues lost runs takes it within 20 s, if there is one (`ralph fleet`). Or continue it here: `ralph resume`.',
    ]);
    expect(at('left')).toEqual([
      expect.stringContaining('has not ended, but its process is gone'),
      expect.stringMatching(/within 20 s, if there is one.*`ralph resume`/),
    ]);
    const asking = (state: RunElsewhere['state']) =>
      toElsewhereReport(view, { headline: '', isGood: true, rows: [{ label: 'Asks', text: 'q1' }] }, { ...place, state }, true).rows;
    expect(asking('held').map(({ label }) => label)).toEqual(['Asks', 'Next']);
    // One that is complete asks nobody any more.
    expect(asking('ended').map(({ label }) => label)).toEqual(['Next']);
    const alone = toRunStatus(view, { ...facts, isAlive: false, elsewhere: { ...place, state: 'lost', hasWorkers: false } });
    expect(alone.rows.at(-1)?.text).toMatch(/^No worker is there that could take it/);
    const unasked = toText({ view, facts: { ...facts, isAlive: false, elsewhere: { ...place, state: 'unasked' } } });
    expect(unasked).toMatch(/State: needs you[\s\S]*cannot be asked now: the run may go on elsewhere/);
  });

  it('of a run on a fleet says so, which workers had its turns, and that a turn waits for one', () => {
    const script = createScript();
    script.startTurn('planner', 1, { worker: 'w1' });
    script.endTurn(1);
    script.startTurn('builder', 2, { worker: null });
    const fold = createLiveFold(() => 0);
    for (const record of script.records) fold.take(record);
    const view = foldRunView(script.records);
    const facts = { isAlive: true, now: view.at + 4200, live: fold.view(), fleet: 'nats://10.0.0.5:4222' };
    const text = toText({ view, facts });
    expect(text).toContain('Fleet: its turns are taken by workers of nats://10.0.0.5:4222; turns by worker: w1 (1)');
    expect(text).toContain('Now: iteration 2, builder (claude) waits for a worker for 4.2 s');
    expect(text).toContain('Last: 1 planner on worker w1 succeeded');
    const wanted = toText({ view, facts: { ...facts, labelsOf: ({ hat }) => ['claude', hat] } });
    expect(wanted).toContain('waits for a worker with claude,builder for 4.2 s');
    expect(wanted).toContain("`ralph worker --nats 'nats://10.0.0.5:4222' --labels claude,builder`, with its login where it has one");
    // Nobody is silent yet.
    expect(text).not.toContain('Output');
    expect(toStatusRecord(view, facts)).toMatchObject({ fleet: 'nats://10.0.0.5:4222', turns: [{ worker: 'w1' }, { worker: null }] });
    const script2 = createScript();
    script2.startTurn('builder', 1, { worker: 'w2' });
    const working = foldRunView(script2.records);
    expect(toText({ view: working, facts })).toContain('Now: iteration 1, builder (claude) on worker w2 for');
    expect(toRunReport(view).rows).toContainEqual({ label: 'Fleet', text: 'turns by worker: w1 (1)' });
  });

  it('of a run whose fleet does not answer says since when, in the live line, too, and no more once it does', () => {
    const script = createScript();
    script.startTurn('planner', 1, { worker: 'w1' });
    const view = foldRunView(script.records);
    const fold = createLiveFold(() => view.at);
    for (const record of script.records) fold.take(record);
    fold.take({ kind: 'fleet', isAway: true, since: view.at + 1000 });
    const live = parseLiveView(parseJson(JSON.stringify(fold.view())));
    const facts = { isAlive: true, now: view.at + 13_000, live, fleet: 'nats://10.0.0.5:4222' };
    expect(toText({ view, facts })).toContain('State: working: The fleet has not answered for 12.0 s: the run waits for it.');
    const progress = { limits: null, iterations: 0, gates: [], elapsedMs: 0, at: view.at, usage: view.totals.usage };
    expect(toLiveLine(fold.view(), progress, facts.now, 200)).toMatch(/^fleet away 0:12 · turn 1/);
    fold.take({ kind: 'fleet', isAway: false, since: view.at + 1000 });
    expect(toText({ view, facts: { ...facts, live: fold.view() } })).toContain('planner works in turn 1');
  });

  it('of a run between two turns names the hook or the gate that waits for a worker, with its labels, and the worker that has it', () => {
    const script = createScript();
    const view = foldRunView(script.records);
    const fold = createLiveFold(() => view.at);
    const hook = { kind: 'program', program: 'hook0', title: 'Hook check.sh', labels: ['gpu', 'linux'], isOver: false } as const;
    const statusOf = (record: Parameters<typeof fold.take>[0]) => {
      fold.take(record);
      const live = parseLiveView(parseJson(JSON.stringify(fold.view())));
      return toText({ view, facts: { isAlive: true, now: view.at + 9000, live, fleet: 'nats://10.0.0.5:4222' } });
    };
    const waits = statusOf({ ...hook, worker: null, since: view.at });
    expect(waits).toContain('State: working: Hook check.sh waits for a worker with gpu, linux, for 9.0 s.');
    expect(waits).toContain('`ralph worker --labels gpu,linux`');
    expect(waits).toContain('Waits: Hook check.sh waits for a worker with gpu, linux for 9.0 s');
    const progress = { limits: null, iterations: 0, gates: [], elapsedMs: 0, at: view.at, usage: view.totals.usage };
    expect(toLiveLine(fold.view(), progress, view.at + 9000, 200)).toMatch(/^Hook check\.sh waits for a worker with gpu, linux 0:09/);
    const runs = statusOf({ ...hook, worker: 'strong', since: view.at + 5000 });
    expect(runs).toContain('State: working: Hook check.sh runs on worker strong, for 4.0 s.');
    expect(runs).toContain('Now: Hook check.sh runs on worker strong for 4.0 s');
    expect(statusOf({ ...hook, worker: null, isOver: true, since: view.at })).toContain('It is between two turns.');
  });

  it('of a run between two turns says which gates, or hooks about what, it waits for', () => {
    const script = createScript();
    const view = { ...foldRunView(script.records), gates: ['npm test'] };
    const fold = createLiveFold(() => view.at);
    const statusOf = () => {
      const live = parseLiveView(parseJson(JSON.stringify(fold.view())));
      return toText({ view, facts: { isAlive: true, now: view.at + 9000, live } });
    };
    const ask = { type: 'hooks-ask', request: 4, event: 'CompletionRequested', hat: 'builder', iteration: 1, drafts: [] } as const;
    fold.take({ kind: 'effect', seq: 3, at: view.at, effect: ask });
    expect(statusOf()).toContain('State: working: It waits for hooks of CompletionRequested, for 9.0 s.');
    fold.take({ kind: 'input', seq: 4, input: { type: 'hooks-answered', at: view.at, request: 4, answers: [] } });
    expect(statusOf()).toContain('It is between two turns.');
    fold.take({ kind: 'effect', seq: 5, at: view.at, effect: { type: 'gates-run', request: 5, gates: [0], topics: [] } });
    expect(statusOf()).toContain('State: working: It waits for the gate npm test, for 9.0 s.');
  });

  it('of a run that a signal ended says so once', () => {
    const whyOf = (reason: 'terminated' | 'hangup', detail: string) => {
      const script = createScript();
      script.effect({ type: 'run-end', reason, detail });
      return toRunReport(foldRunView(script.records)).rows.find(({ label }) => label === 'Why')?.text;
    };
    expect(whyOf('terminated', 'stopped by SIGTERM')).toBe('The run was told to end by SIGTERM.');
    expect(whyOf('hangup', 'stopped by SIGHUP')).toBe('The terminal of the run was closed.');
    expect(whyOf('terminated', 'stopped by ralph queue')).toBe('The run was told to end by SIGTERM: stopped by ralph queue.');
  });

  it('counts events that wait for the same hat', () => {
    const script = createScript();
    for (let count = 0; count < 5; count += 1) script.publish('build.task', 'planner', ['builder']);
    script.publish('review.asked', 'planner', ['reviewer']);
    const running = foldRunView(script.records);
    expect(toText({ view: running, facts: { isAlive: true, now: running.at } })).toContain(
      'Queue: build.task for builder (5 times), review.asked for reviewer',
    );
    script.effect({ type: 'run-end', reason: 'interrupted', detail: 'stopped by Ctrl+C' });
    expect(toRunReport(foldRunView(script.records)).rows).toContainEqual({
      label: 'Left',
      text: 'waits for the next resume: build.task for builder (5 times), review.asked for reviewer',
    });
  });

  it('says of each hat how many of its own turns failed or were interrupted, when it ends', () => {
    const script = createScript();
    script.startTurn('planner', 1);
    script.endTurn(1, { outcome: { status: 'interrupted' } });
    script.startTurn('planner', 2);
    script.endTurn(2);
    script.startTurn('builder', 3);
    script.endTurn(3);
    script.effect({ type: 'run-end', reason: 'interrupted', detail: '' });
    const done = toRunReport(foldRunView(script.records)).rows.find(({ label }) => label === 'Done');
    expect(done?.text).toMatch(/^planner 2 turns \(1 interrupted\), builder 1 turn; /);
  });

  it('does not say that an agent reports no cost before its turn has ended', () => {
    const text = toText(openStuck(1000));
    expect(text).toMatch(/Used: .*cost not told yet/);
    expect(text).not.toContain('neither');
  });

  it('counts the time until now for a run that is alive, and until its last input for one that is not', () => {
    const { view, facts } = openStuck(14_000);
    expect(toElapsedNow(view, facts)).toBe(view.elapsedMs + 14_000);
    expect(toElapsedNow(view, { ...facts, isAlive: false })).toBe(view.elapsedMs);
  });

  it.each([true, false])('says the same time in text and for programs (alive: %j)', (isAlive) => {
    const { view, facts } = openStuck(14_000);
    const now = { ...facts, isAlive };
    expect(toText({ view, facts: now })).toContain(toDurationText(toStatusRecord(view, now).elapsedMs));
    expect(toStatusRecord(view, now).elapsedMs).toBe(view.elapsedMs + (isAlive ? 14_000 : 0));
  });

  it('names the interrupted turns beside the count, so that it fits the numbers of the turns, in the report too', () => {
    const { view, facts } = openStuck(1000);
    const totals = { ...view.totals, iterations: 8, interrupted: 1 };
    expect(toText({ view: { ...view, totals }, facts })).toMatch(/Used: 8 of \d+ iterations \(and 1 interrupted, which does not count\);/);
    const end = { reason: 'completed', detail: '', at: view.at } as const;
    const { headline } = toRunStatus({ ...view, status: 'ended', end, totals: { ...totals, interrupted: 2 } }, facts);
    expect(headline).toMatch(/^Completed, unproven after 8 iterations \(and 2 interrupted, which do not count\) in /);
  });

  it('claims neither a living process nor time of one where nothing of it can be seen', () => {
    const { view, facts } = openStuck(14_000);
    const unseen = { ...facts, isUnseen: true };
    expect(toStatusRecord(view, unseen)).toMatchObject({ isAlive: false, isUnseen: true, elapsedMs: view.elapsedMs, live: null });
    expect(toStatusRecord(view, facts)).toMatchObject({ isAlive: true, isUnseen: false });
    const status = toRunStatus(view, unseen);
    const text = status.rows.map((row) => row.text).join('\n');
    expect(text).toContain(toDurationText(view.elapsedMs));
    expect(text).not.toContain('14 s');
    expect(text).not.toContain('its process ended');
    expect(status.isGood).toBe(false);
  });

  it('names the signal that ends a run which takes no other word', () => {
    const { view, facts } = openStuck(1000);
    expect(toText({ view, facts })).toContain('end it after the running turn with `ralph stop`');
    const text = toText({ view, facts: { ...facts, signalPid: 4711 } });
    expect(text).toContain('end it with `kill 4711`');
    expect(text).not.toContain('ralph stop');
  });

  it('takes no word of a turn that has ended since', () => {
    const { view, facts } = openStuck(1000);
    const turns = view.turns.map((turn) => ({ ...turn, status: 'succeeded' as const }));
    expect(toText({ view: { ...view, turns }, facts })).not.toContain('Tool:');
  });
});
