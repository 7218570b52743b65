import { HAND_LIMITS } from '../core/panel/hand-limits.ts';
import type { HandedIn, PanelHand } from '../ports/backend.ts';
import { type McpResult, type McpTool, toReason } from './mcp-tool.ts';

/** What an agent of a panel may hand in, in its round; see `PanelHand`. */
export type HandOffer = Pick<PanelHand, 'task' | 'candidates' | 'topics'>;

/** What the model hands in, its form checked. */
export type HandRequest =
  | { readonly kind: 'answer'; readonly content: string; readonly topic?: string }
  | { readonly kind: 'vote'; readonly target: string; readonly reason: string };

/** Hands in for the round, and settles with the verdict; what it throws is told to the model. */
export type HandIn = (request: HandRequest, signal?: AbortSignal) => Promise<HandedIn>;

const ANNOTATIONS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

/**
 * The tool by which an agent of a panel hands in its answer; `null` in a round in which no answer is taken. The verdict comes when the work of its agent is kept,
 * so other messages are answered meanwhile.
 */
export function createNewAnswerTool({ task, topics }: HandOffer, handIn: HandIn): McpTool | null {
  if (task === 'vote') return null;
  const topic =
    topics.length === 0 ? {} : { topic: { type: 'string', enum: topics, description: 'What is published if this answer wins.' } };
  return {
    name: 'new_answer',
    description: 'Hands in your answer and ends your work on it. What you made in your folder comes along: say what it is, and where.',
    inputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string', description: 'The whole answer, for somebody who has seen nothing of your work.' },
        ...topic,
      },
      required: ['content', ...Object.keys(topic)],
    },
    annotations: { title: 'Hand in an answer', ...ANNOTATIONS },
    waits: true,
    call: async ({ content, topic: named }, signal) => {
      if (typeof content !== 'string') return toRefusal('`content` must be text: the whole answer.');
      // Models fill what is optional with an empty text.
      return toResult(handIn({ kind: 'answer', content, ...(typeof named === 'string' && named !== '' && { topic: named }) }, signal));
    },
  };
}

/** The tool by which an agent of a panel votes; `null` where there is nobody to vote for. */
export function createVoteTool({ task, candidates }: HandOffer, handIn: HandIn): McpTool | null {
  if (task === 'present' || candidates.length === 0) return null;
  return {
    name: 'vote',
    description: 'Votes for the best answer and ends your work.',
    inputSchema: {
      type: 'object',
      properties: {
        agent_id: { type: 'string', enum: candidates, description: 'Whose answer is the best.' },
        reason: { type: 'string', description: 'Why, in a few sentences.' },
      },
      required: ['agent_id', 'reason'],
    },
    annotations: { title: 'Vote', ...ANNOTATIONS },
    waits: true,
    call: async ({ agent_id: target, reason }, signal) => {
      if (typeof target !== 'string') return toRefusal(`\`agent_id\` must be one of: ${candidates.join(', ')}.`);
      const why = typeof reason === 'string' ? reason.slice(0, HAND_LIMITS.reason) : '';
      return toResult(handIn({ kind: 'vote', target, reason: why }, signal));
    },
  };
}

async function toResult(handed: Promise<HandedIn>): Promise<McpResult> {
  try {
    const { isAccepted, text } = await handed;
    return isAccepted ? { text, isError: false } : toRefusal(text);
  } catch (error) {
    return toRefusal(toReason(error));
  }
}

function toRefusal(why: string): McpResult {
  return { text: `Not taken: ${why}`, isError: true };
}
