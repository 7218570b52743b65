import { describe, expect, it } from 'vitest';
import { toDurationText } from '../../core/text/duration.ts';
import { parseJson } from '../../core/values/json.ts';
import { createScript } from '../fixtures.ts';
import { createLiveFold, parseLiveView } from '../fold/fold-live-view.ts';
import { foldRunView } from '../fold/fold-run-view.ts';
import type { RunView } from '../fold/run-view.ts';
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
