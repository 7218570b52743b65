import { z } from 'zod';
import { HAND_LIMITS } from '../../../core/panel/hand-limits.ts';
import type { HandedIn, PanelHand } from '../../../ports/backend.ts';
import { type AnyTool, defineTool, fail, type Tool, type ToolResult } from '../../tool/tool.ts';

const HINTS = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const;

interface NewAnswerArgs {
  readonly content: string;
  readonly topic?: string | undefined;
}

/** The tools of an agent of a panel: `new_answer` where it may answer, `vote` where there is somebody to vote for. */
export function createHandInTools(hand: PanelHand): readonly AnyTool[] {
  const mayVote = hand.candidates.length > 0 && hand.task !== 'present';
  return [...(hand.task === 'vote' ? [] : [createAnswerTool(hand)]), ...(mayVote ? [createVoteTool(hand)] : [])];
}

function createAnswerTool({ topics, answer }: PanelHand): Tool<NewAnswerArgs> {
  const [first, ...others] = topics;
  return defineTool<NewAnswerArgs>({
    name: 'new_answer',
    group: 'coordination',
    hints: HINTS,
    description: 'Hands in your answer and ends your work on it. What you made in your workspace comes along: say what it is, and where.',
    parameters: z.strictObject({
      content: z.string().min(1).max(HAND_LIMITS.answer).describe('The whole answer, for somebody who has seen nothing of your work.'),
      ...(first === undefined ? {} : { topic: z.enum([first, ...others]).describe('What is published if this answer wins.') }),
    }) as z.ZodType<NewAnswerArgs>,
    run: async ({ content, topic }) => toResult(await answer(content, topic)),
  });
}

interface Vote {
  readonly agent_id: string;
  readonly reason: string;
}

function createVoteTool({ candidates, vote }: PanelHand): Tool<Vote> {
  const [first = '', ...others] = candidates;
  return defineTool<Vote>({
    name: 'vote',
    group: 'coordination',
    hints: HINTS,
    description: 'Votes for the best answer and ends your work.',
    parameters: z.strictObject({
      agent_id: z.enum([first, ...others]).describe('Whose answer is the best.'),
      reason: z.string().trim().min(1).max(HAND_LIMITS.reason).describe('Why, in a few sentences.'),
    }),
    run: async ({ agent_id: target, reason }) => toResult(await vote(target, reason)),
  });
}

function toResult({ isAccepted, text }: HandedIn): ToolResult {
  return isAccepted ? { text, isError: false, report: { kind: 'handed-in' } } : fail(text);
}
