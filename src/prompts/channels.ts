import type { PromptContext } from './prompt-context.ts';
import { setting } from './quoting.ts';
import { lines } from './section.ts';
import { ours, say, type Words } from './words.ts';

/**
 * How an event is written, by the channels that are on. The tag stands between fences and without a topic,
 * so that an echo of the prompt publishes nothing.
 */
export function planChannels({ topology, settings, turn }: PromptContext): Words {
  const { eventSources } = topology.spec;
  const jsonl = eventSources.includes('jsonl');
  const text = eventSources.includes('text');
  if (!jsonl && !text) return ours('No channel for events is on in this run: publish none.');
  // Who has the tool needs no other way to the file: its shell may be closed, and its model would try.
  const hasTool = jsonl && turn.hasEmitTool === true;
  const line = say`- file: append the line \`{"topic":"TOPIC","payload":"…"}\` to \`$RALPH_EVENTS_FILE\` (${setting(settings.eventsFile)})`;
  return lines(
    ours(jsonl ? 'Publish by ONE of:' : 'Publish by:'),
    hasTool ? ours('- tool: `emit_event` with topic and payload (its name may have a prefix)') : [],
    jsonl && !hasTool ? ours('- shell: `ralph emit TOPIC \'payload\'` (or `"$RALPH_BIN" emit …`)') : [],
    jsonl && !hasTool ? line : [],
    text ? ours('- final message, outside code fences:\n```\n<event topic="…">payload</event>\n```') : [],
  );
}
