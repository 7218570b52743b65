import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import { propertyRuns } from '../../core/property-fixtures.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import { createPanel, type PanelMove, type PanelOrder, type PanelState, type RoundEnded } from '../../core/run/panel-state.ts';
import { listCandidates, listNewest } from './answers.ts';
import { decidePanel } from './decide-panel.ts';
import { openPanel, reopenPanel } from './panel-step.ts';
import { type Played, playPanel, SPEC, specs } from './random-panel-fixtures.ts';

/** A panel that is played move by move. Agents are named by their places. */
function open(changes: Partial<PanelSpec> = {}, numbers: readonly number[] = [2, 3, 1]) {
  const spec = { ...SPEC, ...changes };
  let state: PanelState = createPanel(spec.agents.length);
  const all: PanelOrder[] = [];
  const play = (move: PanelMove): readonly PanelOrder[] => {
    const decision = decidePanel(spec, state, move);
    state = decision.state;
    all.push(...decision.orders);
    return decision.orders;
  };
  const roundOf = (agent: number): number => state.agents[agent]?.round ?? 0;
  const panel = {
    all,
    play,
    get state() {
      return state;
    },
    answer: (agent: number, content: string, more: { readonly topic?: string } = {}) =>
      play({ kind: 'answer-given', agent, round: roundOf(agent), call: 'c', content, canonical: content, ...more }),
    vote: (agent: number, target: string) =>
      play({ kind: 'vote-given', agent, round: roundOf(agent), call: 'c', target, reason: 'It is good.' }),
    end: (agent: number, changes: Partial<RoundEnded> = {}) =>
      play({ kind: 'round-ended', agent, round: roundOf(agent), outcome: 'done', usage: UNKNOWN_USAGE, finalText: '', ...changes }),
  };
  play({ kind: 'opened', numbers, home: '1.1' });
  return panel;
}

const started = (orders: readonly PanelOrder[]) =>
  orders.flatMap((order) =>
    order.kind === 'start-round' ? [`${order.agent} ${order.task} ${order.shown.map(({ agent }) => agent).join()}`] : [],
  );

describe('a panel whose turn is taken up where the work of the one before is not', () => {
  it('begins anew, with numbers and a folder of its own, and forgets what was handed in, but not what that cost', () => {
    const before = open({ injection: 'off' });
    before.answer(0, 'A');
    before.end(0, { usage: { ...UNKNOWN_USAGE, costUsd: 2 } });
    before.answer(1, 'B');
    const spec = { ...SPEC, injection: 'off' as const };
    const opened = { kind: 'opened', numbers: [3, 2, 1], home: '2.1', ids: ['a', 'b', 'c'] } as const;
    const { state, orders } = decidePanel(spec, openPanel(spec, before.state), { ...opened, isAnew: true });
    expect(started(orders)).toEqual(['0 answer ', '1 answer ', '2 answer ']);
    expect(state).toMatchObject({ answers: [], home: '2.1', numbers: [3, 2, 1], phase: 'coordinating' });
    expect(state.agents.map(({ usage, round }) => [usage.costUsd, round])).toEqual([
      [2, 1],
      [null, 1],
      [null, 1],
    ]);
    const kept = decidePanel(spec, openPanel(spec, before.state), { ...opened, numbers: before.state.numbers, home: '1.1' });
    expect(kept.state.answers).toHaveLength(2);
  });
});

describe('a panel that votes', () => {
  it('asks all agents at once, then all for their votes, and takes the answer with the most', () => {
    const panel = open({ injection: 'off' });
    expect(started(panel.all)).toEqual(['0 answer ', '1 answer ', '2 answer ']);
    panel.answer(1, 'B');
    panel.end(1);
    panel.answer(0, 'A');
    panel.end(0);
    expect(panel.all.filter(({ kind }) => kind === 'start-round')).toHaveLength(3);
    panel.answer(2, 'C');
    expect(started(panel.all).slice(3)).toEqual(['0 vote 1,0,2', '1 vote 1,0,2']);
    expect(started(panel.end(2))).toEqual(['2 vote 1,0,2']);
    expect(listCandidates(panel.state)).toEqual(['agent1', 'agent2', 'agent3']);
    for (const agent of [0, 1, 2]) {
      panel.vote(agent, agent === 0 ? 'agent2' : 'agent1');
      panel.end(agent);
    }
    expect(panel.all.at(-1)).toMatchObject({
      kind: 'finish',
      votes: [{ target: 2 }, { target: 1 }, { target: 1 }],
      outcome: { kind: 'won', winner: { agent: 2, revision: 1 }, how: 'votes', content: 'C', topic: null },
    });
  });

  it('begins an agent again that has not heard of any answer, with all of them, once its step is done', () => {
    const panel = open();
    expect(panel.answer(0, 'A').filter(({ kind }) => kind === 'end-round')).toEqual([
      { kind: 'end-round', agent: 1, round: 1, isNow: false },
      { kind: 'end-round', agent: 2, round: 1, isNow: false },
    ]);
    expect(started(panel.end(1, { outcome: 'stopped' }))).toEqual(['1 answer 0']);
    // What it hands in before it stops counts.
    panel.answer(2, 'C');
    expect(panel.state.answers.map(({ content }) => content)).toEqual(['A', 'C']);
  });

  it('tells an agent at work of further answers in the midst of its round, each once', () => {
    const panel = open({ firstInjection: 'mid_stream', maxAnswersPerAgent: 2 });
    const [, offer] = panel.answer(0, 'A');
    expect(offer).toEqual({ kind: 'offer-update', agent: 1, round: 1, update: '1.1.1', answers: [{ agent: 0, revision: 1 }] });
    const again = panel.play({ kind: 'update-given', agent: 1, round: 1, update: '1.1.1' });
    expect(again.filter((order) => order.kind === 'offer-update' && order.agent === 1)).toEqual([]);
    expect(panel.state.agents[1]?.seen).toEqual([1, 0, 0]);
    expect(panel.answer(2, 'C').find((order) => order.kind === 'offer-update' && order.agent === 1)).toMatchObject({
      update: '1.1.2',
      answers: [{ agent: 2, revision: 1 }],
    });
  });

  it('keeps news from an agent that has not answered, where its first answer is protected', () => {
    const panel = open({ firstInjection: 'protect_first_answer' });
    expect(panel.answer(0, 'A').filter(({ kind }) => kind !== 'reply')).toEqual([]);
  });

  it('takes no vote for whom there is not: a name, a number without an answer', () => {
    const panel = open({ injection: 'off', maxAnswersPerAgent: 2 });
    panel.answer(0, 'A');
    panel.end(0);
    for (const name of ['anna', 'agent3', 'agent9', '2', ''])
      expect(panel.vote(1, name)).toMatchObject([
        {
          kind: 'reply',
          isAccepted: false,
          text: `${name.startsWith('agent') ? `There is no answer of ${name}.` : 'That names no answer.'} There are: agent2.`,
        },
      ]);
  });

  it('does not count a vote that came without knowing of an answer, and one that came with an answer', () => {
    const panel = open({ injection: 'off' });
    panel.answer(0, 'A');
    expect(panel.vote(1, 'agent2')).toMatchObject([{ isAccepted: true, text: expect.stringContaining('does not count') }]);
    panel.answer(2, 'C');
    expect(panel.vote(2, 'agent2')).toMatchObject([{ isAccepted: false, text: expect.stringContaining('handed in an answer') }]);
    expect(panel.state.agents.map(({ vote }) => vote)).toEqual([null, null, null]);
  });

  it('voids votes when a new answer comes, and asks for them again', () => {
    const panel = open({ maxAnswersPerAgent: 2 });
    panel.answer(0, 'one');
    panel.end(0);
    for (const agent of [1, 2]) panel.end(agent, { outcome: 'stopped' });
    panel.answer(1, 'two');
    panel.end(1);
    panel.play({ kind: 'update-given', agent: 2, round: 2, update: '2.2.1' });
    panel.vote(2, 'agent3');
    expect(panel.end(2)).toEqual([]);
    expect(panel.state.agents[2]).toMatchObject({ status: 'done', vote: { target: 1 } });
    // The first may answer once more, for it has heard of the second.
    expect(started(panel.answer(0, 'something else entirely'))).toEqual(['1 answer 0,1', '2 answer 0,1']);
    expect(panel.state.agents[2]).toMatchObject({ vote: null });
  });

  it('takes the same answer once: whoever hands it in as the second is asked to vote', () => {
    const panel = open({ injection: 'off' });
    panel.answer(0, 'A');
    expect(panel.answer(1, 'A')).toMatchObject([
      { isAccepted: true, text: expect.stringContaining('what agent2 has handed in, word for word') },
    ]);
    expect(listNewest(panel.state)).toHaveLength(1);
  });

  it('refuses a further answer that hardly differs, and answers over the limit', () => {
    const panel = open({ injection: 'restart', firstInjection: 'restart', maxAnswersPerAgent: 2, agents: SPEC.agents.slice(0, 2) }, [1, 2]);
    panel.answer(0, 'use a queue with one worker');
    panel.end(0);
    panel.end(1, { outcome: 'stopped' });
    panel.answer(1, 'write to a file');
    panel.end(1);
    expect(panel.answer(0, 'use a queue with one worker, yes')).toMatchObject([
      { isAccepted: false, text: expect.stringContaining('your own last answer') },
    ]);
    expect(panel.answer(0, 'log to a database instead')[0]).toMatchObject({ isAccepted: true });
    expect(panel.answer(0, 'and a third')[0]).toMatchObject({ isAccepted: false });
  });

  it('asks an agent that neither answers nor votes three more times, then goes on without it', () => {
    const panel = open({ injection: 'off' });
    panel.answer(0, 'A');
    panel.end(0);
    panel.answer(1, 'B');
    panel.end(1);
    for (const _ of [1, 2, 3]) expect(panel.end(2)).toMatchObject([{ kind: 'start-round', agent: 2, isEnforced: true }]);
    expect(started(panel.end(2))).toEqual(['0 vote 0,1', '1 vote 0,1']);
    expect(panel.state.agents[2]?.status).toBe('failed');
  });

  it('goes on without an agent that fails three times, or needs a person', () => {
    const panel = open({ injection: 'off' });
    const failed = { outcome: 'failed', failure: { class: 'agent', message: 'no' } } as const;
    for (const _ of [1, 2, 3]) panel.end(0, failed);
    panel.end(1, { outcome: 'failed', failure: { class: 'auth', message: 'sign in' } });
    expect(panel.state.agents.map(({ status }) => status)).toEqual(['failed', 'failed', 'working']);
    panel.answer(2, 'C');
    expect(panel.end(2)).toMatchObject([{ kind: 'finish', outcome: { kind: 'won', content: 'C', how: 'only' } }]);
  });

  it('does not ask an agent again whose program is not there', () => {
    const panel = open({ injection: 'off' });
    panel.end(0, { outcome: 'failed', failure: { class: 'spawn', message: 'claude could not be started', isMissing: true } });
    panel.end(1, { outcome: 'failed', failure: { class: 'spawn', message: 'the sandbox could not be put up' } });
    expect(panel.state.agents.map(({ status }) => status)).toEqual(['failed', 'working', 'working']);
  });

  it('fails where fewer agents answered than it needs, or none', () => {
    const auth = { outcome: 'failed', failure: { class: 'auth', message: 'sign in' } } as const;
    const none = open();
    for (const agent of [0, 1, 2]) none.end(agent, auth);
    expect(none.all.at(-1)).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'failed', reason: 'no agent of the panel has handed in an answer' },
    });
    const few = open({ minAgents: 2 });
    few.end(0, auth);
    few.end(1, auth);
    few.answer(2, 'C');
    expect(few.end(2)).toMatchObject([
      {
        kind: 'finish',
        outcome: { kind: 'failed', reason: '1 of the 3 agents of the panel has handed in an answer, and min_agents is 2' },
      },
    ]);
  });

  it('ends with what there is when its time is over, and starts nobody for more than its budget', () => {
    const late = open({ injection: 'off' });
    late.answer(1, 'B');
    late.end(1);
    expect(late.play({ kind: 'time-up' }).map(({ kind }) => kind)).toEqual(['end-round', 'end-round']);
    late.end(0, { outcome: 'stopped' });
    expect(late.end(2, { outcome: 'stopped' })).toMatchObject([{ kind: 'finish', outcome: { content: 'B' } }]);
    // Whoever was to end with its step does not wait for that.
    const hanging = open();
    hanging.answer(1, 'B');
    hanging.end(1);
    expect(hanging.play({ kind: 'time-up' })).toEqual([
      { kind: 'end-round', agent: 0, round: 1, isNow: true },
      { kind: 'end-round', agent: 2, round: 1, isNow: true },
    ]);
    const dear = open({ injection: 'off', budgetUsd: 1 });
    for (const [agent, content] of ['A', 'B', 'C'].entries()) {
      dear.answer(agent, content);
      dear.end(agent, { usage: { ...UNKNOWN_USAGE, costUsd: 0.5 } });
    }
    expect(dear.all.at(-1)).toMatchObject({ kind: 'finish', outcome: { content: 'A', how: 'first' } });
  });

  it('takes the first answer where too few voted, and the first of the file where as many did', () => {
    const play = (changes: Partial<PanelSpec>, votes: readonly string[]) => {
      const panel = open({ injection: 'off', ...changes });
      for (const [agent, content] of [
        [2, 'C'],
        [0, 'A'],
        [1, 'B'],
      ] as const) {
        panel.answer(agent, content);
        panel.end(agent);
      }
      for (const [agent, target] of votes.entries()) {
        panel.vote(agent, target);
        panel.end(agent);
      }
      return panel.all.at(-1);
    };
    expect(play({}, ['agent1', 'agent2', 'agent3'])).toMatchObject({ outcome: { content: 'A', how: 'tie' } });
    expect(play({ quorum: 4 }, ['agent3', 'agent3', 'agent3'])).toMatchObject({ outcome: { content: 'C', how: 'first' } });
  });

  it('lets Ralph choose between answers with equally many votes, and takes the first of the file where he does not', () => {
    const tie = (): ReturnType<typeof open> => {
      const agents = [...SPEC.agents, { id: 'ralph', instructions: '', role: 'ralph' as const }];
      const panel = open({ injection: 'off', tie: 'ralph', agents }, [2, 3, 1, 4]);
      for (const agent of [0, 1, 2]) {
        panel.answer(agent, `answer of ${agent}`);
        panel.end(agent);
      }
      expect(panel.all.some((order) => order.kind === 'start-round' && order.agent === 3)).toBe(false);
      for (const [agent, target] of ['agent3', 'agent2', 'agent4'].entries()) {
        panel.vote(agent, target);
        panel.end(agent);
      }
      for (let times = 0; times < 4 && panel.state.agents[2]?.vote == null; times += 1) panel.end(2);
      return panel;
    };
    const panel = tie();
    // Nobody can vote for Ralph, so the third agent has no vote: one to one, and only those two stand for choice.
    expect(panel.all.at(-1)).toMatchObject({ kind: 'start-round', agent: 3, task: 'vote', shown: [{ agent: 0 }, { agent: 1 }] });
    expect(panel.vote(3, 'agent1')).toMatchObject([
      { isAccepted: false, text: 'There is no answer of agent1. There are: agent2, agent3.' },
    ]);
    panel.vote(3, 'agent3');
    expect(panel.end(3)).toMatchObject([{ kind: 'finish', outcome: { content: 'answer of 1', how: 'ralph' } }]);
    expect(panel.all.at(-1)).toMatchObject({ votes: [{ by: 0 }, { by: 1 }] });
    const silent = tie();
    for (let times = 0; times < 4; times += 1) silent.end(3);
    expect(silent.all.at(-1)).toMatchObject({ kind: 'finish', outcome: { content: 'answer of 0', how: 'tie' } });
  });

  it('lets the synthesizer write one answer where a tie is to be made one, and nothing else', () => {
    const agents = [...SPEC.agents.slice(0, 2), { id: 'writer', instructions: '', role: 'synthesizer' as const }];
    const panel = open({ injection: 'off', tie: 'synthesizer', agents });
    expect(started(panel.all)).toEqual(['0 answer ', '1 answer ']);
    for (const agent of [0, 1]) {
      panel.answer(agent, `answer of ${agent}`);
      panel.end(agent);
    }
    panel.vote(0, 'agent2');
    panel.end(0);
    panel.vote(1, 'agent3');
    expect(started(panel.end(1))).toEqual(['2 present 0,1']);
    panel.answer(2, 'of both');
    expect(panel.end(2)).toMatchObject([{ outcome: { content: 'of both', winner: { agent: 2, revision: 1 } } }]);
  });

  it('lets the gates judge each answer, tells its agent what failed, and takes the only one that passed without a vote', () => {
    const panel = open({ injection: 'off', strategy: 'best_of', maxAnswersPerAgent: 2 });
    expect(panel.answer(0, 'A', { topic: 'build.done' })).toMatchObject([
      { kind: 'reply', isAccepted: true },
      { kind: 'check-answer', agent: 0, revision: 1, topic: 'build.done' },
    ]);
    panel.end(0);
    for (const agent of [1, 2]) {
      panel.answer(agent, `answer of ${agent}`);
      panel.end(agent);
      panel.play({ kind: 'answer-checked', agent, revision: 1, isPassed: false, text: 'npm test failed' });
    }
    const again = panel.all.filter((order) => order.kind === 'start-round' && order.round === 2);
    expect(again).toMatchObject([
      { agent: 1, task: 'answer', failedGates: 'npm test failed' },
      { agent: 2, task: 'answer', failedGates: 'npm test failed' },
    ]);
    panel.play({ kind: 'answer-checked', agent: 0, revision: 1, isPassed: true, text: '' });
    for (const agent of [1, 2]) {
      panel.answer(agent, `better answer of ${agent}, with other words`);
      panel.end(agent);
    }
    panel.play({ kind: 'answer-checked', agent: 1, revision: 2, isPassed: false, text: 'no' });
    expect(panel.play({ kind: 'answer-checked', agent: 2, revision: 2, isPassed: false, text: 'no' })).toMatchObject([
      { kind: 'finish', outcome: { winner: { agent: 0 }, how: 'gates' }, votes: [] },
    ]);
  });

  it('votes among all answers where none passed the gates, and asks for the gates again when its process died', () => {
    const panel = open({ injection: 'off', strategy: 'best_of' });
    for (const agent of [0, 1, 2]) {
      panel.answer(agent, `answer of ${agent}`);
      panel.end(agent);
    }
    expect(started(panel.all)).toHaveLength(3);
    const spec: PanelSpec = { ...SPEC, injection: 'off', strategy: 'best_of' };
    const { orders } = decidePanel(spec, openPanel(spec, panel.state), { kind: 'opened', numbers: [2, 3, 1], home: '1.1' });
    expect(orders.map(({ kind }) => kind)).toEqual(['check-answer', 'check-answer', 'check-answer']);
    for (const agent of [0, 1, 2]) panel.play({ kind: 'answer-checked', agent, revision: 1, isPassed: false, text: 'no' });
    expect(started(panel.all).slice(3)).toEqual(['0 vote 0,1,2', '1 vote 0,1,2', '2 vote 0,1,2']);
    // What the gates have not judged in time has not passed.
    const late = open({ injection: 'off', strategy: 'best_of' });
    late.answer(0, 'A');
    late.end(0);
    late.play({ kind: 'time-up' });
    for (const agent of [1, 2]) late.end(agent, { outcome: 'stopped' });
    expect(late.all.at(-1)).toMatchObject({ kind: 'finish', outcome: { content: 'A', how: 'only' } });
  });

  it('lets the winner write the answer of all, and keeps its own where it writes none', () => {
    const elect = () => {
      const panel = open({ injection: 'off', strategy: 'synthesize' });
      for (const agent of [0, 1, 2]) {
        panel.answer(agent, `answer of ${agent}`, agent === 1 ? { topic: 'plan.ready' } : {});
        panel.end(agent);
      }
      for (const agent of [0, 1, 2]) {
        panel.vote(agent, 'agent3');
        panel.end(agent);
      }
      expect(panel.all.at(-1)).toMatchObject({ kind: 'start-round', agent: 1, task: 'present' });
      return panel;
    };
    const one = elect();
    one.answer(1, 'the best of all');
    expect(one.end(1)).toMatchObject([{ outcome: { content: 'the best of all', topic: 'plan.ready', how: 'votes' } }]);
    expect(elect().end(1)).toMatchObject([{ outcome: { content: 'answer of 1' } }]);
  });
});

describe('a panel whose process died', () => {
  it('takes no second vote, and does not ask twice for the answer of all', () => {
    const panel = open({ injection: 'off', strategy: 'synthesize' });
    for (const agent of [0, 1, 2]) {
      panel.answer(agent, `answer of ${agent}`);
      panel.end(agent);
    }
    for (const agent of [0, 1, 2]) {
      panel.vote(agent, 'agent3');
      panel.end(agent);
    }
    const spec: PanelSpec = { ...SPEC, injection: 'off', strategy: 'synthesize' };
    const reopen = () => {
      const { orders } = decidePanel(spec, openPanel(spec, panel.state), { kind: 'opened', numbers: [2, 3, 1], home: '1.1' });
      return orders;
    };
    expect(reopen()).toMatchObject([{ kind: 'start-round', agent: 1, task: 'present' }]);
    panel.answer(1, 'of all');
    expect(reopen()).toMatchObject([{ kind: 'finish', outcome: { content: 'of all', winner: { agent: 1, revision: 2 } } }]);
    panel.end(1);
    expect(reopen()).toMatchObject([{ kind: 'finish', outcome: { content: 'of all' } }]);
  });

  it('keeps answers and votes, and begins again whoever was at work', () => {
    const panel = open({ injection: 'off' });
    panel.answer(0, 'A');
    panel.end(0);
    panel.answer(1, 'B');
    const reopened = reopenPanel(SPEC, panel.state);
    expect(reopened).toMatchObject({ phase: 'new', home: '1.1', answers: [{ content: 'A' }, { content: 'B' }] });
    const { orders } = decidePanel({ ...SPEC, injection: 'off' }, reopened ?? panel.state, {
      kind: 'opened',
      numbers: [2, 3, 1],
      home: '1.1',
    });
    expect(started(orders)).toEqual(['2 answer ']);
  });

  it('comes to the same end again where it had come to it', () => {
    const panel = open();
    expect(reopenPanel({ ...SPEC, agents: SPEC.agents.slice(1) }, panel.state)).toBeNull();
    // Answers are kept by place: in another order they would be those of others.
    const ids = SPEC.agents.map(({ id }) => id);
    const known = { ...panel.state, ids };
    expect(reopenPanel(SPEC, known)).not.toBeNull();
    expect(reopenPanel({ ...SPEC, agents: SPEC.agents.toReversed() }, known)).toBeNull();
  });
});

/** Panels by chance: over 10,000 for all laws together. */
function check(name: string, holds: (played: Played) => void): void {
  it(name, () => {
    fc.assert(
      fc.property(specs, fc.infiniteStream(fc.nat()), (spec, numbers) => {
        holds(playPanel(spec, (options) => (options === 0 ? 0 : (numbers.next().value ?? 0) % options)));
      }),
      { numRuns: propertyRuns(1500) },
    );
  });
}

describe('whatever its agents do, and whenever they do it', () => {
  check('a panel ends once, with one winner that has answered or with none, and orders nothing behind that', ({ states, orders }) => {
    const last = states.at(-1);
    expect(last?.phase).toBe('ended');
    expect(orders.filter(({ kind }) => kind === 'finish')).toHaveLength(1);
    expect(orders.at(-1)?.kind).toBe('finish');
    if (last?.outcome?.kind === 'won') {
      const { winner } = last.outcome;
      expect(last.answers.some(({ agent, revision }) => agent === winner.agent && revision === winner.revision)).toBe(true);
    }
  });

  check('only votes for answers that their voter knows count, and none is older than an answer', ({ states }) => {
    // What is made of all comes after the vote.
    for (const state of states.filter(({ answers }) => answers.every(({ isOfAll }) => isOfAll !== true)))
      for (const [place, { vote, seen }] of state.agents.entries()) {
        if (vote === null) continue;
        for (const { agent, revision } of listNewest(state)) if (agent !== place) expect(seen[agent]).toBeGreaterThanOrEqual(revision);
        expect(listNewest(state).some(({ agent }) => agent === vote.target)).toBe(true);
      }
  });

  check(
    'an agent is told of each answer once: in a prompt, or in the midst of one round, and never of its own there',
    ({ moves, orders }) => {
      const offers = orders.filter((order) => order.kind === 'offer-update');
      expect(new Set(offers.map(({ update }) => update)).size).toBe(offers.length);
      const given = moves.flatMap((move) => (move.kind === 'update-given' ? [move.update] : []));
      const told = offers
        .filter(({ update }) => given.includes(update))
        .flatMap(({ agent, answers }) => answers.map((answer) => ({ to: agent, ...answer })));
      for (const { to, agent } of told) expect(to).not.toBe(agent);
      const names = told.map((answer) => JSON.stringify(answer));
      expect(new Set(names).size).toBe(names.length);
    },
  );

  check('whoever can vote is asked to: only time, money, failures and silence leave one out', ({ spec, states }) => {
    const last = states.at(-1);
    if (last === undefined || last.isTimeUp || spec.budgetUsd !== null || last.outcome?.kind !== 'won') return;
    if (last.outcome.how === 'only' || last.outcome.how === 'gates') return;
    const members = last.agents.filter((_, place) => spec.agents[place]?.role === undefined);
    for (const { vote, failures, enforcements } of members) expect(vote !== null || failures > 0 || enforcements > 3).toBe(true);
  });

  check('whoever only votes is never told anything in the midst of it', ({ orders }) => {
    const tasks = new Map<string, string>();
    for (const order of orders) {
      if (order.kind === 'start-round') tasks.set(`${order.agent}.${order.round}`, order.task);
      if (order.kind === 'offer-update') expect(tasks.get(`${order.agent}.${order.round}`)).toBe('answer');
    }
  });

  check('no more answers are taken, agents at work at the same time, and updates given than it allows', ({ spec, states }) => {
    for (const { agents, answers } of states) {
      for (const place of agents.keys())
        expect(answers.filter(({ agent, isOfAll }) => agent === place && isOfAll !== true).length).toBeLessThanOrEqual(
          spec.maxAnswersPerAgent,
        );
      if (spec.maxAnswersTotal !== null)
        expect(answers.filter(({ isOfAll }) => isOfAll !== true).length).toBeLessThanOrEqual(spec.maxAnswersTotal);
      expect(agents.filter(({ status }) => status === 'working' || status === 'ending').length).toBeLessThanOrEqual(spec.maxParallel);
      for (const { injected } of agents) expect(injected).toBeLessThanOrEqual(spec.maxInjectionsPerRound);
    }
  });

  check('only what passed the gates wins where anything did, and nobody hears of what they have not judged', ({ spec, states, orders }) => {
    if (spec.strategy !== 'best_of') return;
    const last = states.at(-1);
    if (last?.outcome?.kind === 'won' && last.answers.some(({ check }) => check?.verdict === 'passed')) {
      const { winner } = last.outcome;
      const won = last.answers.find(({ agent, revision }) => agent === winner.agent && revision === winner.revision);
      expect(won?.isOfAll === true || won?.check?.verdict === 'passed').toBe(true);
    }
    const judged = new Set(
      last?.answers.flatMap(({ agent, revision, check }) => (check?.verdict === 'pending' ? [] : [`${agent}.${revision}`])),
    );
    const told = orders.flatMap((order) =>
      order.kind === 'start-round' ? order.shown : order.kind === 'offer-update' ? order.answers : [],
    );
    for (const { agent, revision } of told) expect(judged).toContain(`${agent}.${revision}`);
  });

  check('whoever has a role neither answers nor votes with the others, and a tie is decided once', ({ spec, states, orders }) => {
    const last = states.at(-1);
    for (const [place, { role }] of spec.agents.entries()) {
      if (role === undefined) continue;
      expect(last?.answers.filter(({ agent, isOfAll }) => agent === place && isOfAll !== true)).toEqual([]);
      const tasks = orders.flatMap((order) => (order.kind === 'start-round' && order.agent === place ? [order.task] : []));
      expect(new Set(tasks).size).toBeLessThanOrEqual(1);
      for (const task of tasks) expect(task).toBe(role === 'ralph' ? 'vote' : 'present');
    }
  });

  check('what agents are told names no agent', ({ spec, orders }) => {
    for (const order of orders) if (order.kind === 'reply') for (const { id } of spec.agents) expect(order.text).not.toContain(id);
  });
});
