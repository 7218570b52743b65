import type { Readable, Writable } from 'node:stream';
import { type Json, parseJson } from '../core/index.ts';
import { answerMessage, toTooLongError } from './answer-message.ts';
import type { McpServer } from './mcp-tool.ts';
import { createMessageLines, MAX_LINE_BYTES, type MessageLine } from './message-lines.ts';

/** The two pipes to a client, and where trouble is told: clients show it in their logs. */
export interface McpStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** One line, without its end. */
  readonly complain: (line: string) => void;
}

/**
 * Serves one client: a message per line, answered in the order in which they came. Resolves when the input has ended or nobody reads the
 * output any more; never rejects. What is no message is told to `complain` and passed over.
 */
export async function serveMessages(server: McpServer, { input, output, complain }: McpStreams): Promise<void> {
  const lines = createMessageLines();
  let isOpen = true;
  output.on('error', () => {
    isOpen = false;
    input.destroy();
  });
  const write = async (answer: Json): Promise<void> => {
    if (!isOpen || output.write(`${JSON.stringify(answer)}\n`)) return;
    // A client that asks and does not read is waited for, not buffered without end.
    await new Promise<void>((resume) => {
      output.once('drain', resume);
      output.once('close', resume);
      output.once('error', () => resume());
    });
  };
  try {
    for await (const chunk of input) {
      for (const line of lines.take(chunk as Buffer)) {
        const answer = await answerLine(line, server, complain);
        if (answer !== null) await write(answer);
      }
      if (!isOpen) return;
    }
  } catch (error) {
    if (isOpen) complain(`the input broke: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (lines.hasRest()) complain('the last line has no end: it was not read');
}

async function answerLine(line: MessageLine, server: McpServer, complain: (line: string) => void): Promise<Json | null> {
  if (line.kind === 'too-long') {
    complain(`a line of more than ${MAX_LINE_BYTES} bytes was passed over`);
    return line.id === null ? null : toTooLongError(line.id, MAX_LINE_BYTES);
  }
  const text = line.text.replace(/^\uFEFF/, '').trim();
  if (text === '') return null;
  const message = parseJson(text);
  if (message === undefined) {
    complain('a line that is no JSON was passed over');
    return null;
  }
  const { answer, problem } = await answerMessage(message, server);
  // An answer without an id is one that clients take for a fault of the server's, so nothing is answered.
  if (problem !== null) complain(`${problem} was passed over`);
  return answer;
}
