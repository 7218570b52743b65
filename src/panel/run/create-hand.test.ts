import { describe, expect, it, vi } from 'vitest';
import type { PanelMove } from '../../core/run/panel-state.ts';
import { createHand, type HandOrder } from './create-hand.ts';

/** A round in which the rules say to everything what a test says. */
function open(isAccepted: boolean) {
  const moves: PanelMove[] = [];
  const snapshot = vi.fn(async () => undefined);
  let isOver = false;
  const order = {
    settings: { topics: [], defaultTopic: null, redact: (text: string) => text },
    files: { snapshot, settle: async () => undefined, toCanonical: (_: number, text: string) => text, nameOf: () => 'agent1' },
    order: { agent: 0, round: 1, task: 'answer', shown: [] },
    move: (move: PanelMove) => moves.push(move),
  } as unknown as HandOrder;
  const hand = createHand(order, {
    ask: async () => ({ isAccepted, text: 'said' }),
    isOver: () => isOver,
    way: { kind: 'tools' },
    onRefused: () => undefined,
  });
  return {
    hand,
    moves,
    snapshot,
    stop: (): void => {
      isOver = true;
    },
  };
}

describe('an agent that hands in without end', () => {
  it('is refused after twenty times in a round, before anything is kept', async () => {
    const { hand, moves, snapshot } = open(false);
    for (let times = 0; times < 30; times += 1) await hand.answer(`answer ${times}`, undefined);
    expect([moves.length, snapshot.mock.calls.length]).toEqual([20, 20]);
    expect(await hand.vote('agent1', '')).toMatchObject({ isAccepted: false, text: expect.stringContaining('too often') });
  });

  it('has one answer in a round', async () => {
    const { hand, moves, snapshot } = open(true);
    expect(await hand.answer('first', undefined)).toMatchObject({ isAccepted: true });
    expect(await hand.answer('second', undefined)).toMatchObject({ isAccepted: false, text: expect.stringContaining('and that counts') });
    expect([moves.length, snapshot.mock.calls.length]).toEqual([1, 1]);
  });

  it('has nothing kept any more once its round is being stopped', async () => {
    const { hand, moves, snapshot, stop } = open(false);
    stop();
    expect(await hand.answer('late', undefined)).toMatchObject({ isAccepted: false, text: expect.stringContaining('being stopped') });
    expect([moves.length, snapshot.mock.calls.length]).toEqual([0, 0]);
  });
});
