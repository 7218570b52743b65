import { describe, expect, it } from 'vitest';
import type { Sender } from '../../core/events/event.ts';
import type { Asked, Told } from '../../core/run/inputs.ts';
import { makeHat } from '../../core/spec-fixtures.ts';
import { ending, given, notices, type Play, PROMISE, play, ran, refused, write } from './decide-fixtures.ts';

const BUILDER = makeHat('builder', ['build.start'], ['build.done']);
const SENDER: Sender = { pid: 7, user: 'ann', how: 'terminal' };

let command = 0;
function tell(run: Play, text: string, parts: Partial<Told> = {}) {
  command += 1;
  const steeringOffset = parts.steeringOffset ?? command;
  return run.post({ type: 'told', id: `c${command}`, text, to: null, when: 'now', sender: SENDER, ...parts, steeringOffset });
}

function giveAll(run: Play, isKept = false): void {
  const { iteration, attempt } = run.turn();
  const ids = run.all('tell-offer').map((offer) => offer.tell.id);
  run.post({ type: 'tell-given', iteration, attempt, ids, call: 3, isKept });
}

const texts = (run: Play): readonly unknown[] => run.turn().events.map(({ payload }) => payload);

describe('what a person tells', () => {
  it('is offered to the turn that runs, and is in no prompt once its agent has it', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'use the old API');
    expect(run.last('tell-offer')).toMatchObject({ iteration: 1, attempt: 1, tell: { text: 'use the old API' } });
    giveAll(run);
    run.end([write('build.start')]);
    expect([given(run), run.state().tells]).toEqual([['build.start'], []]);
  });

  it('is in the next prompt, whoever gets it, when the agent was not told', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'use the old API');
    run.end([write('build.start')]);
    expect([run.turn().hat, texts(run)]).toEqual(['builder', ['', 'use the old API']]);
    expect(run.turn().events.at(-1)).toMatchObject({
      topic: 'human.guidance',
      source: 'external',
      told: expect.any(String),
      sender: SENDER,
    });
  });

  it('is not offered to a running turn where it is for the next one', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'later', { when: 'next' });
    expect(run.all('tell-offer')).toEqual([]);
    run.end([write('build.start')]);
    expect(texts(run)).toContain('later');
  });

  it('waits for its hat, and calls it where nothing else does', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'look at the tests', { to: 'builder' });
    expect(run.all('tell-offer')).toEqual([]);
    run.end();
    expect([run.turn().hat, texts(run)]).toEqual(['builder', ['look at the tests']]);
  });

  it('goes to whoever works where its hat is not there, and says so', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'hello', { to: 'nobody' });
    expect([run.last('tell-offer').tell.to, notices(run)]).toEqual([null, ['unknown-target']]);
  });

  it('counts once, however often the same command comes', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'once', { id: 'same' });
    tell(run, 'once', { id: 'same' });
    expect([run.all('tell-offer').length, run.state().tells.length]).toEqual([1, 1]);
  });

  it('holds a completion for one more turn of whoever declared it', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'also the docs');
    run.end([PROMISE]);
    expect([ending(run), refused(run), ran(run), texts(run)]).toEqual([
      null,
      ['task.complete: held'],
      ['ralph', 'ralph'],
      ['also the docs'],
    ]);
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('holds no completion once the agent that declares it has it', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'also the docs');
    giveAll(run);
    run.end([PROMISE]);
    expect(ending(run)).toBe('completed');
  });

  it('is given again where its turn failed, and where an interrupted conversation is lost', () => {
    for (const over of [(run: Play) => run.fail(), (run: Play) => run.interrupt()]) {
      const run = play({ hats: [BUILDER] });
      tell(run, 'careful', { to: 'ralph' });
      giveAll(run);
      over(run);
      expect(texts(run)).toContain('careful');
    }
  });

  it('is not given again where the interrupted conversation is kept', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'careful');
    giveAll(run, true);
    run.interrupt();
    expect([run.turn().hat, texts(run)]).toEqual(['ralph', ['Build the thing.']]);
  });

  it('is given again where the turn that goes on with a kept conversation fails, or goes on with another', () => {
    const failed = play({ hats: [BUILDER] });
    tell(failed, 'careful', { to: 'ralph' });
    giveAll(failed, true);
    failed.interrupt();
    failed.fail();
    expect(texts(failed)).toContain('careful');

    const limited = play({
      hats: [BUILDER],
      ralph: { instructions: '', backends: ['one', 'other'], timeoutMs: 1, idleTimeoutMs: 1 },
      onLimit: 'switch',
    });
    tell(limited, 'careful');
    giveAll(limited, true);
    limited.fail({ class: 'limit' });
    expect([limited.turn().backend, texts(limited)]).toEqual([1, ['Build the thing.', 'careful']]);
  });

  it('is given once where another attempt goes on with the conversation that has it', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'careful');
    giveAll(run, true);
    run.fail({ class: 'transient' });
    run.ring();
    expect([run.turn().attempt, texts(run)]).toEqual([2, ['Build the thing.']]);
  });

  it('ends the running turn where it is to interrupt, and its hat begins again with it and with what it had', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'stop that', { when: 'interrupt' });
    expect([run.all('tell-offer'), run.last('iteration-stop')]).toMatchObject([[], { iteration: 1, attempt: 1, force: false }]);
    run.interrupt();
    expect([run.turn().iteration, run.turn().hat, texts(run), ending(run)]).toEqual([2, 'ralph', ['Build the thing.', 'stop that'], null]);
  });

  it('interrupts no turn of another hat', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'stop that', { when: 'interrupt', to: 'builder' });
    expect([run.all('iteration-stop'), run.state().pending.map(({ hat }) => hat)]).toEqual([[], ['builder']]);
  });

  it('joins a turn whose prompt is not written yet', () => {
    const run = play({ hats: [BUILDER] });
    tell(run, 'from the start', { opening: { iteration: 1, attempt: 1 } });
    expect([run.turn().isAgain, texts(run), run.state().tells]).toEqual([true, ['Build the thing.', 'from the start'], []]);
  });

  it('is no task of its own for a hat that takes one at a time', () => {
    const run = play({ hats: [makeHat('builder', ['build.start'], ['build.done'], { takes: 'one' })] });
    tell(run, 'both', { to: 'builder' });
    run.end([write('build.start', 1), write('build.start', 2)]);
    expect(texts(run)).toEqual(['both', 1]);
    run.end([write('build.done')]);
    run.end();
    expect(ran(run).filter((hat) => hat === 'builder').length).toBeGreaterThan(0);
  });

  it('is on record when it comes after the end, and moves the place up to which the file was read', () => {
    const run = play({ hats: [BUILDER] });
    run.end([PROMISE]);
    tell(run, 'too late', { steeringOffset: 99 });
    expect(run.last('event-publish')).toMatchObject({ how: 'undelivered', to: [], event: { payload: 'too late' } });
    expect([run.state().steeringOffset, notices(run)]).toEqual([99, ['undelivered-events']]);
  });
});

function ask(run: Play, parts: Partial<Asked> = {}) {
  const { iteration, attempt } = run.turn();
  return run.post({
    ...{ type: 'asked', iteration, attempt, key: 'k', purpose: 'question', text: 'Drop it?', choices: ['yes', 'no'], default: 'no' },
    dueAt: run.now() + 60_000,
    ...parts,
  });
}

function answer(run: Play, choice: string, question = 'q1') {
  command += 1;
  return run.post({ type: 'answered', id: `c${command}`, question, choice, sender: SENDER, steeringOffset: command });
}

describe('what a turn asks', () => {
  it('is answered by a person once: the first answer counts', () => {
    const run = play({ hats: [BUILDER] });
    ask(run);
    expect(run.last('question-open').question).toMatchObject({ id: 'q1', hat: 'ralph', choices: ['yes', 'no'] });
    answer(run, 'yes');
    answer(run, 'no');
    expect(run.all('question-close')).toMatchObject([{ id: 'q1', key: 'k', choice: 'yes', by: 'person' }]);
    expect(notices(run)).toEqual(['answer-ignored']);
  });

  it('stays open for an answer that is none of its choices', () => {
    const run = play({ hats: [BUILDER] });
    ask(run);
    answer(run, 'perhaps');
    expect([run.all('question-close'), notices(run)]).toEqual([[], ['answer-ignored']]);
  });

  it('gets its default at its deadline, which holds nothing else back', () => {
    const run = play({ hats: [BUILDER] });
    ask(run);
    run.ring();
    expect(run.last('question-close')).toMatchObject({ choice: 'no', by: 'deadline' });
    expect(notices(run)).toEqual(['question-expired']);
  });

  it('is asked once and answered once over an interruption, whenever the answer comes', () => {
    const before = play({ hats: [BUILDER] });
    ask(before);
    answer(before, 'yes');
    before.resume();
    ask(before);
    expect(before.all('question-open')).toHaveLength(1);
    expect(before.last('question-close')).toMatchObject({ iteration: 2, choice: 'yes', by: 'person' });

    const after = play({ hats: [BUILDER] });
    ask(after);
    after.resume();
    ask(after);
    answer(after, 'yes');
    expect([after.all('question-open').length, after.all('question-close').length]).toEqual([1, 1]);
    expect(after.last('question-close')).toMatchObject({ iteration: 2, choice: 'yes' });
  });

  it('that was permitted once is asked about anew, in the same turn and in the one that goes on with its work', () => {
    const permission = { purpose: 'permission', key: 'p' } as const;
    const run = play({ hats: [BUILDER] });
    ask(run, permission);
    answer(run, 'yes', 'q1');
    ask(run, permission);
    answer(run, 'yes', 'q2');
    run.interrupt();
    ask(run, permission);
    expect([run.all('question-open').length, run.all('question-close').length, run.state().questions.length]).toEqual([3, 2, 1]);
  });

  it('that waits for a permission when the process dies has the answer that comes before the resume', () => {
    const run = play({ hats: [BUILDER] });
    ask(run, { purpose: 'permission', key: 'p' });
    run.resume();
    ask(run, { purpose: 'permission', key: 'p' });
    answer(run, 'yes');
    expect([run.all('question-open').length, run.last('question-close')]).toMatchObject([1, { iteration: 2, choice: 'yes' }]);
  });

  it('is over with its turn, and a later turn asks anew', () => {
    const run = play({ hats: [BUILDER] });
    ask(run);
    run.end();
    expect([run.last('question-close').by, run.state().questions]).toEqual(['withdrawn', []]);
    ask(run);
    expect(run.last('question-open').question.id).toBe('q2');
  });

  it('does not hold the next turn back when its deadline is still to come', () => {
    const run = play({ hats: [BUILDER] });
    ask(run);
    run.end([write('build.start')]);
    expect(run.turn().hat).toBe('builder');
  });

  it('is not heard from a turn that is over', () => {
    const run = play({ hats: [BUILDER] });
    const { iteration, attempt } = run.turn();
    run.end();
    ask(run, { iteration, attempt });
    expect(run.all('question-open')).toEqual([]);
  });
});
