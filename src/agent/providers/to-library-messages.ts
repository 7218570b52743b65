import type { AssistantModelMessage, ModelMessage as LibraryMessage, ToolModelMessage } from 'ai';
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import type { AssistantPart, ModelMessage } from '../../ports/index.ts';

type Options = NonNullable<LibraryMessage['providerOptions']>;
type AssistantContent = Exclude<AssistantModelMessage['content'], string>;

/** Our messages as the library takes them. `mark`: what says behind which messages the provider keeps what it has read. */
export function toLibraryMessages(
  messages: readonly ModelMessage[],
  marked: readonly number[],
  mark: Options | undefined,
): readonly LibraryMessage[] {
  return messages.map((message, index) => {
    const options = mark !== undefined && marked.includes(index) ? { providerOptions: mark } : {};
    if (message.role === 'user') return { role: 'user', content: [{ type: 'text', text: message.text, ...options }] };
    if (message.role === 'tool') return toToolMessage(message, options);
    return { role: 'assistant', content: message.parts.flatMap(toContent) };
  });
}

function toToolMessage({ results }: Extract<ModelMessage, { role: 'tool' }>, options: { providerOptions?: Options }): ToolModelMessage {
  const content = results.map(({ id, name, text, isError }, index) => ({
    type: 'tool-result' as const,
    toolCallId: id,
    toolName: name,
    output: { type: isError ? ('error-text' as const) : ('text' as const), value: text },
    ...(index === results.length - 1 ? options : {}),
  }));
  return { role: 'tool', content };
}

/** Text of nothing but white space is refused by providers, unless it carries something of theirs. */
function toContent(part: AssistantPart): AssistantContent {
  const options = part.opaque === undefined ? {} : { providerOptions: toOptions(part.opaque) };
  if (part.type === 'text')
    return part.text.trim() === '' && part.opaque === undefined ? [] : [{ type: 'text', text: part.text, ...options }];
  if (part.type === 'thinking') return [{ type: 'reasoning', text: part.text, ...options }];
  const input = isJsonObject(part.args) ? part.args : {};
  return [{ type: 'tool-call', toolCallId: part.id, toolName: part.name, input, ...options }];
}

/** What a provider gave is given back unchanged. */
function toOptions(opaque: JsonObject): Options {
  return opaque as Options;
}
