import { describe, expect, it } from 'vitest';
import { LONG_ANSWER, makePanelRecords, SAMPLE_MOVES } from '../../core/run/panel-fixtures.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeApp, createFakeContext, sampleRecords } from '../fixtures.ts';

async function panel(args: readonly string[], records: readonly RunRecord[] = toRecords(), isTty = false) {
  const fake = createFakeContext({ app: createFakeApp(records), isTty, columns: 120 });
  const exitCode = await performCommandLine(['panel', ...args], fake.context);
  return { exitCode, out: fake.out(), err: fake.err() };
}

/** With the end that the loop orders. */
function toRecords(): readonly RunRecord[] {
  const winner = { agent: 0, revision: 1 };
  const outcome = { kind: 'won', winner, how: 'votes', content: LONG_ANSWER, topic: 'analysis.done' } as const;
  const order = { kind: 'finish', outcome, votes: [] } as const;
  const effect = { type: 'panel-ordered', iteration: 1, attempt: 1, hat: 'analyst', order } as const;
  return [...makePanelRecords(), { kind: 'effect', seq: 16, at: 0, effect }];
}

describe('ralph panel show', () => {
  it('prints the agents, their answers and votes, what they were told, everything in order, and who won', async () => {
    const { exitCode, out } = await panel(['show']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Run 20261121-223331-k7f2a, turn 1\.1: the panel of analyst\nagent {2}known as {2}backend/);
    expect(out).toMatch(/\ncarl {3}agent1 {4}gemini {3}voted \(1 failure\) {2}3 {7}3,600 \/ 900 +\$0\.75/);
    expect(out).toMatch(/\nAnswers\n {2}anna, answer 1 \(1,613 characters, for analysis\.done\):\n {4}Use a cache\. It is measured\./);
    expect(out).toContain('\nVotes\n  carl → anna: Short and clear.\n');
    expect(out).toMatch(/\nTold while at work\n {2}\S+ {2}ben \(round 1\): answer 1 of anna\n/);
    expect(out).toMatch(/\n {2}\d\d:\d\d:\d\d {2}carl {2}begins again with 2 answers \(round 2\)\n/);
    expect(out).toContain('\n  → anna won with 2 of 3 votes\n');
  });

  it('prints whole answers when it is asked to', async () => {
    expect((await panel(['show', '1'])).out).not.toContain(LONG_ANSWER.trimEnd().split('\n').at(-1));
    expect((await panel(['show', '1', '--answers'])).out).toContain(LONG_ANSWER.trimEnd().split('\n').at(-1));
  });

  it('gives a terminal nothing that it would obey', async () => {
    const moves = SAMPLE_MOVES.map((move) => (move.kind === 'answer-given' ? { ...move, content: `\u001b[2J${move.content}` } : move));
    const { out } = await panel(['--answers'].concat('show'), makePanelRecords(moves), true);
    expect(out).not.toContain('\u001b[2J');
  });

  it('gives programs the view and whole answers', async () => {
    const { panel: view, ...rest } = JSON.parse((await panel(['show', '--format', 'json'])).out);
    expect(view.outcome).toMatchObject({ kind: 'won', agent: 0 });
    expect(rest).toEqual({
      v: 1,
      runId: '20261121-223331-k7f2a',
      iteration: 1,
      attempt: 1,
      hat: 'analyst',
      answers: [
        { agent: 'anna', revision: 1, topic: 'analysis.done', content: LONG_ANSWER },
        { agent: 'ben', revision: 1, topic: null, content: 'Split the tests.' },
      ],
      answer: LONG_ANSWER,
    });
  });

  it('says how far a panel under way is', async () => {
    expect((await panel([], makePanelRecords(SAMPLE_MOVES.slice(0, 6)))).out).toContain(
      'the panel of analyst (3 agents: 2 answered, 1 begins again)',
    );
  });

  it.each([
    [[], /has had no panel[\s\S]*ralph show/, 1],
    [['show', '1'], /Turn 1\.1 of run \S+ had no panel[\s\S]*planner, was worn by one agent/, 1],
    [['show', '9'], /has no iteration 9/, 2],
    [['list'], /ralph panel does not know "list"/, 2],
  ])('explains %j', async (args, message, exitCode) => {
    expect(await panel(args, sampleRecords())).toMatchObject({ exitCode, out: '', err: expect.stringMatching(message) });
  });
});

describe('other commands', () => {
  const perform = async (args: readonly string[], records: readonly RunRecord[]): Promise<string> => {
    const fake = createFakeContext({ app: createFakeApp(records), columns: 120 });
    await performCommandLine(args, fake.context);
    return fake.out();
  };

  it('ralph show names what came of the panel in a row', async () => {
    expect(await perform(['show', '1'], makePanelRecords())).toMatch(/\n {2}Panel +anna won with 2 of 3 votes\n/);
  });

  it('ralph status says how far it is', async () => {
    const out = await perform(['status'], makePanelRecords(SAMPLE_MOVES.slice(0, 3)));
    expect(out).toMatch(/\n {2}Panel +3 agents: 1 answered, 2 work\n/);
  });
});
