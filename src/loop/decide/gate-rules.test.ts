import { describe, expect, it } from 'vitest';
import type { GateResult } from '../../core/gates/gate-result.ts';
import type { GateSpec } from '../../core/gates/gate-spec.ts';
import { makeGate, makeHat } from '../../core/spec-fixtures.ts';
import { ending, given, makeResult, notices, type Play, PROMISE, play, published, write } from './decide-fixtures.ts';

const BUILDER = makeHat('builder', ['build.start'], ['build.done']);
const REVIEWER = makeHat('reviewer', ['build.done'], []);
const TESTS = makeGate(['build.done'], 'npm test');

/** A team that Ralph coordinates, with the given gates; its builder runs. */
function building(gates: readonly GateSpec[], hats = [BUILDER, REVIEWER]): Play {
  const run = play({ hats, gates });
  run.end([write('build.start')]);
  return run;
}

/** The gates that were asked last give these results. */
function answer(run: Play, results: readonly GateResult[]): void {
  run.post({ type: 'gates-finished', request: run.last('gates-run').request, results });
}

function withEvidence(gate: number, evidence: Partial<NonNullable<GateResult['evidence']>>, passed = true): GateResult {
  const whole = {
    number: 1,
    treeBefore: 't1',
    tree: 't1',
    isFresh: true,
    isCached: false,
    attempts: 1,
    outputHash: '',
    log: null,
    isCut: false,
  };
  return { ...makeResult(gate, passed), evidence: { ...whole, ...evidence } };
}

describe('a completion', () => {
  it('needs a pass of every required gate, whatever it guards', () => {
    const run = building([TESTS, makeGate(['nobody.says'], 'lint'), makeGate(['other'], 'docs', { required: false })]);
    run.end();
    run.end([PROMISE]);
    expect(run.last('gates-run')).toMatchObject({ gates: [0, 1], topics: ['task.complete'] });
    run.judge((gate) => gate === 0);
    expect([ending(run), given(run)]).toEqual([null, ['task.blocked']]);
  });

  it('needs a gate that is for some hats only when that was asked before, or guards it for its author', () => {
    const forBuilder = makeGate(['build.done'], 'npm test', { hats: ['builder'] });
    const forReviewer = makeGate(['task.complete'], 'review', { hats: ['reviewer'] });
    const run = building([forBuilder, forReviewer]);
    run.end();
    run.end([PROMISE]);
    expect([ending(run), run.all('gates-run')]).toEqual(['completed', []]);
    const second = building([forBuilder, forReviewer]);
    second.end([write('build.done')]);
    second.judge(() => true);
    second.end();
    second.end([PROMISE]);
    expect(second.last('gates-run')).toMatchObject({ gates: [0] });
  });

  it('whose proof is about files that changed since is judged again', () => {
    const run = play({ gates: [makeGate(['task.complete'])] });
    run.end([PROMISE]);
    answer(run, [withEvidence(0, { isFresh: false })]);
    expect([ending(run), run.last('gates-run').request, notices(run)]).toEqual([null, 2, ['gate-again']]);
    answer(run, [withEvidence(0, {})]);
    expect(ending(run)).toBe('completed');
  });

  it('is refused when files go on changing while gates run', () => {
    const run = play({ gates: [makeGate(['task.complete'])] });
    run.end([PROMISE]);
    for (let round = 0; round < 3; round += 1) answer(run, [withEvidence(0, { isFresh: false })]);
    expect([ending(run), run.all('gates-run').length, given(run)]).toEqual([null, 3, ['task.blocked']]);
    expect(JSON.stringify(run.turn().feedback)).toContain('files changed before all gates were done');
  });

  it('refused for that names the gates that files changed under', () => {
    const run = play({ gates: [makeGate(['task.complete']), makeGate(['task.complete'], 'npm run format')] });
    run.end([PROMISE]);
    for (let round = 0; round < 3; round += 1)
      answer(run, [withEvidence(0, { isFresh: false }), { ...withEvidence(1, { treeBefore: 'x', tree: 'y' }), command: 'npm run format' }]);
    expect(JSON.stringify(run.turn().feedback)).toContain('Files changed while this ran: npm run format.');
  });

  it('asked again, a failure refuses it', () => {
    const run = play({ gates: [makeGate(['task.complete'])] });
    run.end([PROMISE]);
    answer(run, [withEvidence(0, { isFresh: false })]);
    answer(run, [withEvidence(0, {}, false)]);
    expect(given(run)).toEqual(['task.blocked']);
  });

  it('claimed in a turn without a tool call and without a change is flagged, and judged all the same', () => {
    const run = play({ gates: [makeGate(['task.complete'])] });
    run.end([PROMISE], { toolCalls: 0, treeChanged: false });
    expect([notices(run), run.all('gates-run').length]).toEqual([['idle-completion'], 1]);
  });

  it('claimed by a tool in a turn that used no other is flagged', () => {
    const run = play();
    run.end([PROMISE], { toolCalls: 2, signalCalls: 2, treeChanged: false });
    expect(notices(run)).toEqual(['idle-completion']);
  });

  it('claimed by a turn that goes on with an interrupted one is not flagged: what that one did counts', () => {
    const run = play();
    run.resume();
    run.end([PROMISE], { toolCalls: 0, treeChanged: false });
    expect(notices(run)).not.toContain('idle-completion');
  });

  it.each([
    { toolCalls: 2, signalCalls: 1, treeChanged: false },
    { toolCalls: 1, treeChanged: false },
    { toolCalls: 0, treeChanged: true },
    { toolCalls: null, treeChanged: false },
    { toolCalls: 0, treeChanged: null },
  ])('is not flagged after a turn with %o', (report) => {
    const run = play();
    run.end([PROMISE], report);
    expect([notices(run), ending(run)]).toEqual([[], 'completed']);
  });
});

describe('a gate that is not required', () => {
  it('holds nothing back when it fails; people and the author are told', () => {
    const run = building([makeGate(['build.done'], 'lint', { required: false })]);
    run.end([write('build.done')]);
    run.judge(() => false);
    expect([published(run).at(-1), notices(run)]).toEqual(['build.done > reviewer', ['gate-warning']]);
    expect(run.state().feedback['builder']).toMatchObject([{ kind: 'gate-failed', topic: 'build.done', passed: true }]);
  });

  it('beside one that is does not appear in what blocks', () => {
    const run = building([makeGate(['build.done'], 'lint', { required: false }), TESTS]);
    run.end([write('build.done')]);
    run.judge(() => false);
    expect(run.last('event-publish').event.payload).toMatchObject({ blocked_by: 'npm test' });
  });
});

describe('a gate for some hats', () => {
  it('does not guard the events of others', () => {
    const run = building([makeGate(['*'], 'npm test', { hats: ['reviewer'] })]);
    run.end([write('build.done')]);
    expect(published(run).at(-1)).toBe('build.done > reviewer');
  });
});

describe('a gate with a name', () => {
  it('is called by it in what blocks', () => {
    const run = building([makeGate(['build.done'], './very-long.sh --all', { name: 'unit tests' })]);
    run.end([write('build.done')]);
    answer(run, []);
    expect(run.last('event-publish').event.payload).toMatchObject({ blocked_by: 'unit tests', gates: ['unit tests'] });
  });
});

describe('a gate that passed at a further try', () => {
  it('is told', () => {
    const run = building([TESTS]);
    run.end([write('build.done')]);
    answer(run, [withEvidence(0, { attempts: 2 })]);
    expect(run.last('notice')).toMatchObject({ code: 'gate-flaky', text: 'npm test passed at try 2: it does not always say the same.' });
  });

  it('is told once: a pass that is remembered is no news', () => {
    const run = building([TESTS]);
    run.end([write('build.done')]);
    answer(run, [withEvidence(0, { attempts: 2, isCached: true })]);
    expect(notices(run)).toEqual([]);
  });
});

describe('three failures of a gate in a row for the same hat', () => {
  const claim = (run: Play, topic: string, passed = false): void => {
    run.end([write(topic, String(run.state().counters.iteration))]);
    run.judge(() => passed);
  };

  it('give the event to Ralph, with what they were', () => {
    const run = building([TESTS]);
    for (let turn = 0; turn < 3; turn += 1) claim(run, 'build.done');
    expect([run.turn().hat, notices(run).slice(-2)]).toEqual(['ralph', ['gate-failed', 'gate-stuck']]);
    expect(run.turn().feedback).toMatchObject([
      {
        kind: 'gate-stuck',
        hat: 'builder',
        gate: 'npm test',
        topic: 'build.done',
        count: 3,
        failures: [{ iteration: 2 }, { iteration: 3 }, { iteration: 4 }],
      },
    ]);
  });

  it.each(['task.blocked', 'blocked'])('give it to the hat that takes %s where there is one', (topic) => {
    const resolver = makeHat('resolver', [topic], ['build.start']);
    const run = building([TESTS], [BUILDER, REVIEWER, resolver]);
    for (let turn = 0; turn < 3; turn += 1) claim(run, 'build.done');
    expect([run.turn().hat, given(run)]).toEqual(['resolver', ['build.blocked']]);
  });

  it('are counted anew after a pass', () => {
    const run = building([TESTS]);
    for (const passed of [false, false, true]) claim(run, 'build.done', passed);
    run.end();
    run.end([write('build.start')]);
    for (const passed of [false, false]) claim(run, 'build.done', passed);
    expect(run.turn().hat).toBe('builder');
  });

  it('of different gates do not add up', () => {
    const run = building([TESTS, makeGate(['build.done'], 'lint')]);
    for (const failing of [0, 1, 0, 1]) {
      run.end([write('build.done', String(run.state().counters.iteration))]);
      answer(
        run,
        [makeResult(failing, false), { ...makeResult(1 - failing, true), command: failing === 0 ? 'lint' : 'npm test' }].map((result) => ({
          ...result,
          command: result.gate === 0 ? 'npm test' : 'lint',
        })),
      );
    }
    expect(run.turn().hat).toBe('builder');
  });

  it('stay with a hat that is alone, with the row in its prompt', () => {
    const run = play({ gates: [makeGate(['task.complete'])] });
    for (let turn = 0; turn < 3; turn += 1) {
      run.end([PROMISE]);
      run.judge(() => false);
    }
    expect([run.turn().hat, run.turn().feedback.map((entry) => entry.kind)]).toEqual(['ralph', ['gate-stuck', 'gate-failed']]);
  });
});
