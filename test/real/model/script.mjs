/** Decides what the model says next: which script a conversation plays, and at which of its turns it stands. */
import { shellCall } from './shell-tool.mjs';

/** @type {import('./types.d.ts').Usage} */
const USAGE = { inputTokens: 1200, cachedTokens: 200, outputTokens: 30 };
const TOKEN = /\[\[script:([A-Za-z0-9_-]+)\]\]/g;

/**
 * The script that a conversation asks for: the last `[[script:NAME]]` in the last user message that has one. Scripts are
 * found in the words of the conversation, not by connection or order, so clients may run at the same time, retry and resume.
 *
 * @param {import('./types.d.ts').Conversation} conversation
 * @returns {{ name: string, step: number } | undefined} step counts the rounds of tool calls since that message
 */
export function findScript({ turns }) {
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index];
    if (turn === undefined || turn.role !== 'user') continue;
    const name = [...turn.text.matchAll(TOKEN)].at(-1)?.[1];
    if (name === undefined) continue;
    return { name, step: turns.slice(index + 1).filter((later) => later.calls.length > 0).length };
  }
  return undefined;
}

/**
 * @param {import('./types.d.ts').Reply[]} script
 * @param {number} step
 * @returns {import('./types.d.ts').Reply} the turn at that step; the last one again when the script is over
 */
export function replyAt(script, step) {
  return script[Math.min(step, script.length - 1)] ?? {};
}

/**
 * Makes a reply complete. A request without a shell tool is one of the side calls that clients make (titles, summaries,
 * memory): it may carry the same prompt, so it gets a short text in place of the tool call.
 *
 * @param {import('./types.d.ts').Reply} reply
 * @param {import('./types.d.ts').Conversation} conversation
 * @param {string} id
 * @returns {import('./types.d.ts').ReadyReply}
 */
export function prepare(reply, conversation, id) {
  const call = reply.shell === undefined ? undefined : shellCall(conversation.tools, reply.shell, `call_${id}`);
  const isSideCall = reply.shell !== undefined && call === undefined;
  return { id, text: isSideCall ? 'Ok' : (reply.text ?? ''), call, usage: { ...USAGE, ...reply.usage } };
}
