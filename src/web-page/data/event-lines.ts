/** One message of a stream of server-sent events. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events from pieces of text, wherever they are cut. */
export function createEventReader(): (piece: string) => readonly StreamMessage[] {
  let rest = '';
  let event = '';
  let data: string[] = [];
  return (piece) => {
    const messages: StreamMessage[] = [];
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) messages.push({ event: event === '' ? 'message' : event, data: data.join('\n') });
        event = '';
        data = [];
      } else if (line.startsWith('event:')) event = line.slice(6).trim();
      else if (line.startsWith('data:')) data.push(line.slice(line.charAt(5) === ' ' ? 6 : 5));
    }
    return messages;
  };
}
