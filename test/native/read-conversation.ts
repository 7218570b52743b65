import type { WireRequest } from './wire-server.ts';
import type { Body } from './wire-types.ts';

/** How many answers of the model a request holds, whatever its wire format. */
export function countAnswers({ dialect, body }: WireRequest): number {
  if (dialect === 'gemini') return body.contents.filter((content: Body) => content.role === 'model').length;
  if (dialect !== 'responses') return body.messages.filter((message: Body) => message.role === 'assistant').length;
  // Each answer there is several items; what stands between two of them is ours.
  const kinds = body.input
    .map((item: Body) => (item.type === 'function_call' || item.type === 'reasoning' || item.role === 'assistant' ? 'a' : 'u'))
    .join('');
  return kinds.split(/u+/).filter((part: string) => part !== '').length;
}

/** Names of the tools that a request offers. */
export function listTools({ dialect, body }: WireRequest): readonly string[] {
  const tools: Body[] = dialect === 'gemini' ? body.tools[0].functionDeclarations : body.tools;
  return tools.map((tool) => (tool.function ?? tool).name);
}
