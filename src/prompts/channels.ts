import type { PromptContext } from './prompt-context.ts';
import { setting } from './quoting.ts';
import { lines } from './section.ts';
import { ours, say, type Words } from './words.ts';

/**
 * How an event is written, by the channels that are on. The tag stands between fences and without a topic,
 * so that an echo of the prompt publishes nothing.
 */
export function planChannels({ topology, settings }: PromptContext): Words {
  const { eventSources } = topology.spec;
  const jsonl = eventSources.includes('jsonl');
  const text = eventSources.includes('text');
  if (!jsonl && !text) return ours('No channel for events is on in this run: publish none.');
  const line = say`- file: append the line \`{"topic":"TOPIC","payload":"…"}\` to \`$RALPH_EVENTS_FILE\` (${setting(settings.eventsFile)})`;
  return lines(
    ours(jsonl ? 'Publish by ONE of:' : 'Publish by:'),
    jsonl ? ours('- shell: `ralph emit TOPIC \'payload\'` (or `"$RALPH_BIN" emit …`)') : [],
    jsonl ? line : [],
    text ? ours('- final message, outside code fences:\n```\n<event topic="…">payload</event>\n```') : [],
  );
}
