import { toShellCall } from './shell-tool.ts';
import type { Conversation, OfferedTool, ReadyReply, Reply, TokenUsage, ToolCall, WantedCall } from './wire-types.ts';

const USAGE: TokenUsage = { inputTokens: 1200, cachedTokens: 200, writtenTokens: 0, outputTokens: 30 };
const TOKEN = /\[\[script:([A-Za-z0-9_-]+)\]\]/g;

/**
 * The script that a conversation asks for: the last `[[script:NAME]]` in the last user message that has one. Scripts are
 * found in the words of the conversation, not by connection or order, so clients may run at the same time, retry and resume.
 *
 * @returns step counts the rounds of tool calls since that message
 */
export function findScript({ turns }: Conversation): { readonly name: string; readonly step: number } | undefined {
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index];
    if (turn === undefined || turn.role !== 'user') continue;
    const name = [...turn.text.matchAll(TOKEN)].at(-1)?.[1];
    if (name === undefined) continue;
    return { name, step: turns.slice(index + 1).filter((later) => later.calls.length > 0).length };
  }
  return undefined;
}

/** The turn at that step; the last one again when the script is over. */
export function replyAt(script: readonly Reply[], step: number): Reply {
  return script[Math.min(step, script.length - 1)] ?? {};
}

/**
 * Makes a reply complete. A request without a shell tool is one of the side calls that clients make (titles, summaries,
 * memory): it may carry the same prompt, so it gets a short text in place of the tool call.
 */
export function prepare(reply: Reply, { tools }: Conversation, id: string): ReadyReply {
  const wanted = [...(reply.shell === undefined ? [] : [toShellCall(reply.shell)]), ...(reply.calls ?? [])];
  const calls = wanted.flatMap((want, index) => toCall(want, tools, index === 0 ? `call_${id}` : `call_${id}_${index}`));
  const isSideCall = wanted.length > 0 && calls.length === 0;
  const { thinking = '', text = '', finish } = reply;
  return { id, thinking, text: isSideCall ? 'Ok' : text, calls, finish, usage: { ...USAGE, ...reply.usage } };
}

function toCall({ tool: names, args, isForced = false }: WantedCall, tools: readonly OfferedTool[], id: string): readonly ToolCall[] {
  const found = names.flatMap((name) => tools.find((tool) => isCalled(tool.name, name)) ?? [])[0];
  const [first] = names;
  const search = found === undefined ? toSearch(names, tools, id) : undefined;
  if (search !== undefined) return [search];
  const tool: OfferedTool | undefined =
    found ?? (isForced && first !== undefined && tools.length > 0 ? { name: first, parameters: {} } : undefined);
  if (tool === undefined) return [];
  const { name, namespace, kind } = tool;
  const filled = typeof args === 'function' ? args(tool.parameters) : args;
  return [{ id, name, args: filled, ...(namespace !== undefined && { namespace }), ...(kind !== undefined && { kind }) }];
}

/** Some clients offer a search in place of tools: what is missing is looked for once, as a model would. */
function toSearch(names: readonly string[], tools: readonly OfferedTool[], id: string): ToolCall | undefined {
  const query = names.map((name) => name.replace('*', '')).join(' ');
  const tool = tools.find(({ kind }) => kind === 'search');
  return tool === undefined || tool.searched?.includes(query) ? undefined : { id, name: tool.name, args: { query }, kind: 'search' };
}

function isCalled(offered: string, wanted: string): boolean {
  return wanted.startsWith('*') ? offered.endsWith(wanted.slice(1)) : offered === wanted;
}
