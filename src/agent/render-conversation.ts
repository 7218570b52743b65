import type { ModelMessage } from '../ports/index.ts';

const PIECE_CHARACTERS = 4000;

/** A conversation as a text of at most about `limit` characters; what is too much is left out of its middle. */
export function renderConversation(messages: readonly ModelMessage[], limit: number): string {
  const blocks = messages.flatMap(renderMessage);
  const whole = blocks.join('\n\n');
  if (whole.length <= limit) return whole;
  const half = Math.floor(limit / 2);
  const first = takeBlocks(blocks, half);
  const last = takeBlocks(blocks.slice(first.length).toReversed(), half).toReversed();
  return [...first, '[… left out …]', ...last].join('\n\n');
}

function takeBlocks(blocks: readonly string[], limit: number): readonly string[] {
  const taken: string[] = [];
  let length = 0;
  for (const block of blocks) {
    length += block.length + 2;
    if (length > limit) break;
    taken.push(block);
  }
  return taken;
}

function renderMessage(message: ModelMessage): readonly string[] {
  if (message.role === 'user') return [`## Asked\n${cut(message.text)}`];
  if (message.role === 'tool')
    return message.results.map(({ name, text, isError }) => `## Result of ${name}${isError ? ' (an error)' : ''}\n${cut(text)}`);
  return message.parts.flatMap((part) => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [`## The agent\n${cut(part.text)}`];
    return part.type === 'tool-call' ? [`## The agent calls ${part.name}\n${cut(JSON.stringify(part.args))}`] : [];
  });
}

function cut(text: string): string {
  if (text.length <= PIECE_CHARACTERS) return text;
  return `${text.slice(0, PIECE_CHARACTERS * 0.7)}\n[…]\n${text.slice(-PIECE_CHARACTERS * 0.3)}`;
}
