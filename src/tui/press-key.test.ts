import { describe, expect, it } from 'vitest';
import { askingRun, redRun, type SampleRun, toSampleView } from './fixtures.ts';
import { createKeyReader } from './input/read-keys.ts';
import { KEYS } from './keys.ts';
import { type Order, pressKey } from './press-key.ts';
import { FIRST_STATE, type ViewState } from './view-state.ts';

interface Typed {
  readonly state: ViewState;
  readonly orders: readonly Order[];
}

/** Presses keys one after the other on a usual terminal. */
function press(sample: SampleRun, text: string, { isReadOnly = false, from = FIRST_STATE } = {}): Typed {
  let state = from;
  const orders: Order[] = [];
  for (const key of createKeyReader().take(text)) {
    const { facts } = toSampleView(sample, { columns: 100, rows: 30 }, state, isReadOnly);
    const pressed = pressKey(state, key, facts);
    state = pressed.state;
    if (pressed.order !== null) orders.push(pressed.order);
  }
  return { state, orders };
}

describe('the table of keys', () => {
  it('gives each key one meaning', () => {
    const keys = KEYS.flatMap((row) => row.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('keys that look', () => {
  it('step through the inputs, and back to now', () => {
    const last = 7;
    expect(press(redRun(), ',').state.seq).toBe(last - 1);
    expect(press(redRun(), ',,').state.seq).toBe(last - 2);
    expect(press(redRun(), ',.').state.seq).toBeNull();
    expect(press(redRun(), ',,,L').state.seq).toBeNull();
    expect(press(redRun(), ','.repeat(50)).state.seq).toBe(1);
  });

  it('step through the turns', () => {
    const { state } = press(redRun(), '<<');
    const { scene } = toSampleView(redRun(), { columns: 100, rows: 30 }, state);
    expect(scene.frame.working.map(({ hat }) => hat)).toEqual(['builder']);
    expect(scene.frame.isNow).toBe(false);
    expect(press(redRun(), '<<>>').state.seq).toBeNull();
  });

  it('choose a turn, and follow the last one again', () => {
    expect(press(redRun(), '3kk').state.turn).toBe(0);
    expect(press(redRun(), '3kkG').state.turn).toBeNull();
  });

  it('open the turn of an event', () => {
    const { state } = press(redRun(), '4k\r');
    expect(state).toMatchObject({ panel: 5, turn: 0 });
  });

  it('filter while the words are typed, and show everything again', () => {
    expect(press(redRun(), '/build\r').state).toMatchObject({ filter: 'build', typing: null });
    expect(press(redRun(), '/build\rj').state.filter).toBe('build');
    expect(press(redRun(), '/build').state.filter).toBe('build');
    expect(createKeyReader().take('\u001b[A')).toHaveLength(1);
  });

  it('leave, whereupon nothing is asked of the run', () => {
    expect(press(redRun(), 'q').orders).toEqual([{ kind: 'leave' }]);
  });
});

describe('keys that steer', () => {
  it('tell whoever works next or now what was typed', () => {
    expect(press(redRun(), ':use the mock clock\r').orders).toEqual([{ kind: 'tell', text: 'use the mock clock', when: 'next' }]);
    expect(press(redRun(), '!stop editx\u007f\r').orders).toEqual([{ kind: 'tell', text: 'stop edit', when: 'now' }]);
    expect(press(redRun(), ':   \r').orders).toEqual([]);
  });

  it('answer the open question by number, by word, or by its beginning', () => {
    const answer = { kind: 'answer', question: 'q1', choice: 'yes' };
    expect(press(askingRun(), 'a1\r').orders).toEqual([answer]);
    expect(press(askingRun(), 'aYES\r').orders).toEqual([answer]);
    expect(press(askingRun(), 'ay\r').orders).toEqual([answer]);
    const wrong = press(askingRun(), 'amaybe\r');
    expect(wrong.orders).toEqual([]);
    expect(wrong.state.message.isBad).toBe(true);
  });

  it('stop only after a second key', () => {
    expect(press(redRun(), 's').orders).toEqual([]);
    expect(press(redRun(), 'sa').orders).toEqual([{ kind: 'stop', how: 'after' }]);
    expect(press(redRun(), 'sn').orders).toEqual([{ kind: 'stop', how: 'now' }]);
    expect(press(redRun(), 'sx').orders).toEqual([]);
  });

  it('ask after ctrl+c what is meant, and stop now at the second one', () => {
    expect(press(redRun(), '\u0003').state.asking).toBe('interrupt');
    expect(press(redRun(), '\u0003q').orders).toEqual([{ kind: 'leave' }]);
    expect(press(redRun(), '\u0003a').orders).toEqual([{ kind: 'stop', how: 'after' }]);
    expect(press(redRun(), '\u0003\u0003').orders).toEqual([{ kind: 'stop', how: 'now' }]);
    expect(press(redRun(), ':half a sent\u0003\u0003').orders).toEqual([{ kind: 'stop', how: 'now' }]);
  });

  it('are off while the past is looked at, and say so', () => {
    for (const keys of [',s', ',:', ',!', ',a']) {
      const { state, orders } = press(askingRun(), keys);
      expect(orders).toEqual([]);
      expect(state.message.text).toContain('the past');
      expect([state.typing, state.asking]).toEqual([null, null]);
    }
  });

  it('but a second ctrl+c stops while the past is looked at, too', () => {
    expect(press(redRun(), ',\u0003\u0003').orders).toEqual([{ kind: 'stop', how: 'now' }]);
    expect(press(redRun(), ',\u0003n').orders).toEqual([]);
  });

  it('are all off in a view that only reads', () => {
    for (const keys of ['sn', ':x\r', '!x\r', 'a1\r', '\u0003a', '\u0003\u0003', ',\u0003\u0003', ',\u0003a'])
      expect(press(askingRun(), keys, { isReadOnly: true }).orders).toEqual([]);
  });
});
