import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import { given, handOn, notices, type Play, PROMISE, play, published, ran, refused, say, write } from './decide-fixtures.ts';

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.start', 'review.start']);
const BUILDER = makeHat('builder', ['build.start'], ['build.done']);
const REVIEWER = makeHat('reviewer', ['review.start'], ['review.done'], { defaultPublishes: ['review.done'] });

/** A team that coordinates itself; its builder runs. */
function team(parts: Parameters<typeof play>[0] = {}): Play {
  const run = play({ hats: [PLANNER, BUILDER, REVIEWER], ...parts });
  run.end([write('build.start', 'the roof')]);
  return run;
}

describe('an event whose topic the hat may not publish', () => {
  it.each([
    ['the file', write('deploy.start')],
    ['the text', say('deploy.start')],
  ])('is not routed, through %s', (_channel, signal) => {
    const run = team();
    run.end([signal]);
    expect(run.last('event-reject')).toEqual({
      type: 'event-reject',
      id: 'e3',
      iteration: 2,
      hat: 'builder',
      topic: 'deploy.start',
      why: 'scope',
      allowed: ['build.done'],
    });
    expect([published(run), notices(run)]).toEqual([['task.start > planner', 'build.start > builder'], ['scope-violation']]);
  });

  it('if the turn emitted nothing valid, the hat is activated once more with the refusal in its prompt', () => {
    const run = team();
    run.end([write('deploy.start')]);
    expect(run.turn()).toMatchObject({
      iteration: 3,
      attempt: 1,
      hat: 'builder',
      events: [{ topic: 'build.start', payload: 'the roof' }],
      feedback: [{ kind: 'refused', topic: 'deploy.start', allowed: ['build.done'] }],
    });
  });

  it('then the fallback takes over, with the same events', () => {
    const run = team();
    run.end([write('deploy.start')]);
    run.end([write('deploy.start'), write('gossip')]);
    expect(run.turn()).toMatchObject({
      hat: 'planner',
      fallback: 'refused-twice',
      events: [{ topic: 'build.start', payload: 'the roof' }],
      feedback: [{ kind: 'refused-twice', hat: 'builder', topics: ['deploy.start', 'gossip'], allowed: ['build.done'] }],
    });
    expect(notices(run)).toContain('refused-twice');
  });

  it('the hat has a second chance again the next time', () => {
    const run = team();
    run.end([write('gossip')]);
    run.end([write('gossip')]);
    run.end([write('build.start')]);
    run.end([write('gossip')]);
    expect(ran(run)).toEqual(['planner', 'builder', 'builder', 'planner', 'builder', 'builder']);
  });

  it('then the fallback takes over also where the second turn says nothing', () => {
    const run = team();
    run.end([write('deploy.start')]);
    run.end();
    expect([ran(run), given(run)]).toEqual([['planner', 'builder', 'builder', 'planner'], ['task.resume']]);
  });

  it('if the turn emitted something valid too, the refusal is shown in the next turn of the hat', () => {
    const run = team();
    run.end([write('deploy.start'), write('build.done')]);
    run.end([write('build.start')]);
    expect([ran(run), run.turn().feedback]).toEqual([
      ['planner', 'builder', 'planner', 'builder'],
      [{ kind: 'refused', topic: 'deploy.start', allowed: ['build.done'] }],
    ]);
  });

  it('is shown once', () => {
    const run = team();
    run.end([write('deploy.start'), write('build.done')]);
    run.end([write('build.start')]);
    run.end([write('build.done')]);
    run.end([write('build.start')]);
    expect(run.turn().feedback).toEqual([]);
  });

  it('every new occasion has its second chance: an old refusal is forgiven', () => {
    const run = team();
    run.end([write('gossip')]);
    run.end([write('build.done')]);
    run.end([write('build.start')]);
    run.end([write('gossip')]);
    expect(ran(run)).toEqual(['planner', 'builder', 'builder', 'planner', 'builder', 'builder']);
  });

  it('an old refusal is forgiven also by a turn that says nothing', () => {
    const run = team();
    run.end([write('gossip')]);
    run.end();
    run.end([write('build.start')]);
    run.end([write('gossip')]);
    expect(ran(run)).toEqual(['planner', 'builder', 'builder', 'planner', 'builder', 'builder']);
  });

  it('counts as emitted for default_publishes', () => {
    const run = team();
    run.end([write('build.done')]);
    run.end([write('review.start')]);
    run.end([write('gossip')]);
    expect([published(run).at(-1), run.turn().hat]).toEqual(['review.start > reviewer', 'reviewer']);
  });

  it('a wrong target is refused as well, where publishes names the edge', () => {
    const hats = [makeHat('planner', ['task.start'], [{ topic: 'ask', target: 'builder' }]), BUILDER, REVIEWER];
    const run = play({ hats });
    run.end([write('ask', '', 'reviewer')]);
    expect(refused(run)).toEqual(['ask: scope']);
  });

  it('a turn that also failed is no second chance: it is a failure', () => {
    const run = team();
    run.fail({}, [write('gossip')]);
    expect([refused(run), run.turn().hat, given(run)]).toEqual([['gossip: scope'], 'ralph', ['error.cli']]);
  });

  it('Ralph may publish any topic that a hat takes, and no other', () => {
    const run = play({ hats: [BUILDER] });
    run.end([write('gossip'), write('build.start')]);
    expect([refused(run), published(run).at(-1)]).toEqual([['gossip: scope'], 'build.start > builder']);
  });

  it('Ralph refused twice is called again, and three such turns in a row without a change stall the run', () => {
    const run = play({ hats: [BUILDER] });
    for (let count = 0; count < 5; count += 1) run.end([write('gossip')], { treeChanged: false });
    expect(ran(run)).toEqual(['ralph', 'ralph', 'ralph', 'ralph', 'ralph']);
    expect(run.state().end?.reason).toBe('stalled');
  });

  it('the recovery hat refused twice is followed by Ralph, the safety net', () => {
    const run = play({ hats: [PLANNER, BUILDER, REVIEWER] });
    run.end([write('gossip')]);
    run.end([write('gossip')]);
    expect(run.turn()).toMatchObject({ hat: 'ralph', fallback: 'refused-twice', events: [{ topic: 'task.start' }] });
  });

  it('in solo nothing is refused', () => {
    const run = play();
    run.end([write('gossip')]);
    expect([refused(run), given(run)]).toEqual([[], ['gossip', 'task.continue']]);
  });
});

describe('default_publishes', () => {
  const parts = {
    hats: [makeHat('writer', ['write'], ['written', 'noted'], { defaultPublishes: ['written', 'noted'] }), makeHat('reader', ['written'])],
  };

  /** A team whose writer runs. */
  function writing(more: Parameters<typeof play>[0] = {}): Play {
    const run = play({ ...parts, ...more });
    run.end([write('write')]);
    return run;
  }

  it('Hat writes event → event is used', () => {
    const run = writing();
    run.end([write('noted')]);
    expect(published(run).slice(2)).toEqual(['noted > ralph']);
  });

  it('Hat writes no event + has default → default is used: all of them, in order, written to the events file and told', () => {
    const run = writing();
    run.end();
    expect(published(run).slice(2)).toEqual(['written > reader', 'noted > ralph']);
    expect(run.all('inbox-append').map((effect) => [effect.event.topic, effect.event.source, effect.event.payload])).toEqual([
      ['written', 'writer', ''],
      ['noted', 'writer', ''],
    ]);
    expect(notices(run)).toEqual(['default-publishes']);
  });

  it('Hat writes no event + no default → falls through to Ralph', () => {
    const planner = makeHat('planner', ['written'], ['write', 'noted'], { defaultPublishes: ['noted'] });
    const run = play({ hats: [planner, makeHat('writer', ['write'], ['written']), makeHat('reader', ['noted'])] });
    run.end([write('write')]);
    expect(run.turn().hat).toBe('writer');
    run.end();
    // Neither what it might have published, nor the default of another hat, nor its own event once more.
    expect(published(run)).toEqual(['task.start > ralph', 'write > writer', 'task.resume > ralph']);
    expect(run.all('inbox-append')).toEqual([]);
    expect(run.turn()).toMatchObject({
      hat: 'ralph',
      fallback: 'empty-queue',
      events: [{ topic: 'task.resume' }],
      feedback: [{ kind: 'silent', hat: 'writer', events: [{ topic: 'write' }], allowed: ['written'] }],
    });
  });

  it('no default after a turn that failed', () => {
    const run = writing();
    run.fail();
    expect([published(run).slice(2), run.all('inbox-append')]).toEqual([['error.cli > ralph'], []]);
  });

  it('no default after a turn without output', () => {
    const run = writing();
    run.end([], { producedOutput: false });
    expect(published(run).slice(2)).toEqual(['task.resume > ralph']);
  });

  it('the default is used after a promise that the hat may not give: it has forgotten its event', () => {
    const run = writing();
    run.end([PROMISE]);
    expect([refused(run), published(run).slice(2)]).toEqual([['LOOP_COMPLETE: may-not-end'], ['written > reader', 'noted > ralph']]);
  });

  it('no default after a completion that waits for required events: nothing was forgotten', () => {
    const hats = [makeHat('planner', ['task.start'], ['go'], { defaultPublishes: ['go'] }), makeHat('a', ['go'], ['went'])];
    const run = play({ hats, requiredEvents: ['went'] });
    run.end([PROMISE]);
    expect(published(run)).toEqual(['task.start > planner', 'task.resume > planner']);
  });

  it('a default goes where publishes sends its topic', () => {
    const hats = [
      makeHat('writer', ['task.start'], [{ topic: 'written', target: 'b' }], { defaultPublishes: ['written'] }),
      makeHat('a', ['written']),
      makeHat('b', ['x']),
    ];
    const run = play({ hats });
    run.end();
    expect(published(run).at(-1)).toBe('written > b');
  });
});

describe('HAT_TRANSITION', () => {
  const hats = [
    makeHat('planner', ['task.start'], ['build.start'], { transitions: ['reviewer'] }),
    makeHat('builder', ['build.*'], []),
    makeHat('reviewer', ['x'], []),
    makeHat('spy', ['legacy.*', '*'], []),
  ];

  it.each([
    ['takes a topic that it may publish', 'builder'],
    ['is listed in its transitions', 'reviewer'],
  ])('a hat hands on to one that %s, with its final text', (_how, next) => {
    const run = play({ hats });
    run.end([handOn(next)], { finalText: 'Over to you.' });
    expect(run.turn()).toMatchObject({
      hat: next,
      events: [{ topic: `legacy.hat_transition.${next}`, payload: 'Over to you.', source: 'planner' }],
    });
  });

  it('is recorded, and routed by no trigger', () => {
    const run = play({ hats });
    run.end([handOn('builder')]);
    expect([published(run).at(-1), run.last('event-publish').how]).toEqual(['legacy.hat_transition.builder > builder', 'target']);
  });

  it('to a hat that takes nothing of what the author may publish is refused, with a second chance', () => {
    const run = play({ hats: [makeHat('planner', ['task.start'], ['build.start']), makeHat('other', ['x'])] });
    run.end([handOn('other')]);
    expect([refused(run), ran(run), run.turn().feedback]).toEqual([
      ['legacy.hat_transition.other: scope'],
      ['planner', 'planner'],
      [{ kind: 'refused', topic: 'legacy.hat_transition.other', allowed: ['build.start'] }],
    ]);
  });

  it('to a hat that does not exist is refused, and the hats are named', () => {
    const run = play({ hats });
    run.end([handOn('nobody')]);
    expect(run.last('event-reject')).toMatchObject({
      topic: 'legacy.hat_transition.nobody',
      why: 'unknown-hat',
      allowed: ['planner', 'builder', 'reviewer', 'spy'],
    });
  });

  it('Ralph hands on to every hat', () => {
    const run = play({ hats: [makeHat('builder', ['build.start'])] });
    run.end([handOn('builder')]);
    expect(ran(run)).toEqual(['ralph', 'builder']);
  });

  it('in solo there is nobody to hand on to, and the loop goes on', () => {
    const run = play();
    run.end([handOn('builder')]);
    expect([refused(run), given(run)]).toEqual([['legacy.hat_transition.builder: unknown-hat'], ['task.continue']]);
  });
});

describe('what could not be read', () => {
  it('is told to people and, in its next turn, to the hat; the good signals count', () => {
    const run = team();
    const problem = { where: '.agent/events.jsonl:12', message: 'not valid JSON', excerpt: '{"topic' };
    run.end([write('build.done')], { problems: [problem] });
    expect(run.last('notice')).toEqual({
      type: 'notice',
      level: 'warning',
      code: 'unreadable-signal',
      text: '.agent/events.jsonl:12: not valid JSON',
    });
    expect(published(run).at(-1)).toBe('build.done > planner');
    run.end([write('build.start')]);
    expect(run.turn().feedback).toEqual([
      { kind: 'malformed', where: '.agent/events.jsonl:12', message: 'not valid JSON', excerpt: '{"topic' },
    ]);
  });

  it('is told twenty times at most', () => {
    const run = team();
    const problems = Array.from({ length: 500 }, (_none, index) => ({ where: `output:${index}`, message: 'no', excerpt: '' }));
    run.end([], { problems });
    expect([notices(run).length, run.state().feedback['builder']?.length]).toEqual([20, 20]);
  });
});

describe('what the command refused in a turn', () => {
  const noted = (topic: string, why: 'scope' | 'payload' = 'scope') => ({
    ...write(topic),
    refused: { why, detail: 'payload is no object' },
  });

  it('is on record and told like any refusal, and does no harm where the hat corrected itself', () => {
    const run = team();
    run.end([noted('ship.it'), write('build.done')]);
    expect([refused(run), run.turn().hat]).toEqual([['ship.it: scope'], 'planner']);
    expect(run.state().feedback['builder']).toEqual([{ kind: 'refused', topic: 'ship.it', allowed: ['build.done'] }]);
  });

  it('is a second chance where the hat published nothing else, and never an event', () => {
    const run = team();
    run.end([noted('ship.it'), noted('build.done', 'payload'), noted('LOOP_COMPLETE')]);
    expect([refused(run), run.turn().hat]).toEqual([['ship.it: scope', 'build.done: payload', 'LOOP_COMPLETE: may-not-end'], 'builder']);
    expect(published(run).filter((row) => row.startsWith('build.done'))).toEqual([]);
  });

  it('hides no event of the text', () => {
    const run = team();
    run.end([noted('build.done', 'payload'), say('build.done')]);
    expect(published(run).at(-1)).toBe('build.done > planner');
  });

  it('is not told as withdrawn when the turn is interrupted', () => {
    const run = team();
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'SIGINT' });
    run.interrupt([noted('ship.it'), write('build.done')]);
    run.resume();
    expect(run.turn().feedback).toContainEqual({ kind: 'withdrawn', topics: ['build.done'] });
  });

  it('does not keep a transient error from being tried again', () => {
    const run = team();
    run.fail({ class: 'transient', message: 'overloaded' }, [noted('ship.it')]);
    run.ring();
    expect(run.turn()).toMatchObject({ iteration: 2, attempt: 2, feedback: [{ kind: 'refused', topic: 'ship.it' }] });
  });
});
