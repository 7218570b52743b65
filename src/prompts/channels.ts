import type { PromptContext, PromptTurn } from './prompt-context.ts';
import { listInCode, setting } from './quoting.ts';
import { lines } from './section.ts';
import { ours, say, type Words } from './words.ts';

/**
 * How an event is written, by the channels that are on. The tag stands between fences and without a topic,
 * so that an echo of the prompt publishes nothing.
 */
export function planChannels({ topology, settings, turn }: PromptContext): Words {
  const { jsonl, text, hasTool } = openChannels({ topology, turn });
  if (!jsonl && !text) return ours('No channel for events is on in this run: publish none.');
  const line = say`- file: append the line \`{"topic":"TOPIC","payload":"…"}\` to \`$RALPH_EVENTS_FILE\` (${setting(settings.eventsFile)})`;
  return lines(
    ours(jsonl ? 'Publish by ONE of:' : 'Publish by:'),
    hasTool ? ours('- tool: `emit_event` with topic and payload (its name may have a prefix)') : [],
    jsonl && !hasTool ? planShell(turn) : [],
    jsonl && !hasTool ? line : [],
    text ? ours('- final message, outside code fences:\n```\n<event topic="…">payload</event>\n```') : [],
  );
}

/** Who has the tool needs no other way to the file: its shell may be closed, and its model would try. */
function openChannels({ topology, turn }: Pick<PromptContext, 'topology' | 'turn'>): Record<'jsonl' | 'text' | 'hasTool', boolean> {
  const jsonl = topology.spec.eventSources.includes('jsonl');
  return { jsonl, text: topology.spec.eventSources.includes('text'), hasTool: jsonl && turn.hasEmitTool === true };
}

/**
 * How an event is given a receiver, for who may: where an edge of its contract names a hat, and where a target lifts every contract (seed 004's
 * style). Empty for others.
 */
export function planTarget({ topology, turn }: PromptContext, hasEdge: boolean): Words {
  const { jsonl, text, hasTool } = openChannels({ topology, turn });
  const isLifted = topology.spec.mode !== null && topology.hats.length > 0;
  if (!(hasEdge || isLifted) || !(jsonl || text)) return [];
  const forms = [
    ...(hasTool ? ['`target` of the tool'] : []),
    ...(jsonl && !hasTool ? ['`--target HAT`', '`"target":"HAT"`'] : []),
    ...(text ? ['`target="…"`'] : []),
  ];
  const others = topology.hats.map((hat) => hat.id).filter((id) => id !== turn.hat);
  if (!isLifted) return ours(`To pick the receiver, add the target: ${forms.join(', ')}.`);
  return others.length === 0
    ? []
    : say`You may hand any topic to a hat of your choice (${listInCode(others)}) by a target: ${ours(forms.join(', '))}.`;
}

function planShell({ losesPath }: PromptTurn): Words {
  return ours(
    losesPath === true
      ? '- shell: `"$RALPH_BIN" emit TOPIC \'payload\'`'
      : '- shell: `ralph emit TOPIC \'payload\'` (or `"$RALPH_BIN" emit …`)',
  );
}
