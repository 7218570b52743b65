import { type BackendEvent, toDurationText } from '../../core/index.ts';
import { createTextCleaner, toPlainLine } from '../../views/index.ts';
import type { LineWriter } from './line-writer.ts';
import { type Look, MAX_WIDTH } from './look.ts';

/** Shows what the agent of one turn says and does. */
export interface TurnStream {
  readonly show: (event: BackendEvent) => void;
}

/** More tools than this at the same time are shown without their names at the end. */
const MAX_OPEN_TOOLS = 256;

/** So many different warnings of a run are known again. */
const MAX_KNOWN_WARNINGS = 100;

/**
 * A stream for one turn. What agents say is cleaned before it gets to the terminal.
 *
 * @param warned the warnings that the run has shown: agents repeat some in every turn
 */
export function createTurnStream(writer: LineWriter, look: Look, warned: Set<string>): TurnStream {
  const cleaner = createTextCleaner();
  const tools = new Map<string, string>();
  const note = (text: string): void => writer.line(look.style('faint', `  ${text}`));

  const warn = (text: string): void => {
    if (warned.has(text)) return;
    if (warned.size < MAX_KNOWN_WARNINGS) warned.add(text);
    writer.line(look.style('warning', `  ! ${text}`));
  };
  const startTool = (id: string, name: string, summary: string): void => {
    const width = Math.min(look.columns(), MAX_WIDTH) - 12;
    const text = `  ⚙ ${look.style('name', toPlainLine(name, 40))} ${toPlainLine(summary, Math.max(20, width - name.length))}`.trimEnd();
    if (tools.size < MAX_OPEN_TOOLS) tools.set(id, text);
    writer.openLine(`tool ${id}`, `${text} …`);
  };
  const endTool = (id: string, name: string, ok: boolean | null, summary: string): void => {
    const text = tools.get(id) ?? `  ⚙ ${look.style('name', toPlainLine(name, 40))}`;
    tools.delete(id);
    const said = toPlainLine(summary, 80);
    const verdict =
      ok === null ? 'ended' : ok ? look.style('good', 'ok') : `${look.style('bad', 'failed')}${said === '' ? '' : `: ${said}`}`;
    if (!writer.closeLine(`tool ${id}`, ` ${verdict}`)) writer.line(`${text} … ${verdict}`);
  };

  return {
    show: (event) => {
      switch (event.type) {
        case 'text':
          return writer.text(cleaner.take(event.text));
        case 'message-end':
          // A message ends before its tools do: their line stays open for the verdict.
          return tools.size === 0 ? writer.finish() : undefined;
        case 'tool-start':
          return startTool(event.id, event.name, event.summary);
        case 'tool-end':
          return endTool(event.id, event.name, event.ok, event.summary);
        case 'retry':
          return note(
            `the agent tries again${event.delayMs === null ? '' : ` in ${toDurationText(event.delayMs)}`}: ${toPlainLine(event.message, 200)}`,
          );
        case 'warning':
          return warn(toPlainLine(event.message, 300));
        case 'session':
          if (look.verbose)
            note(`session ${toPlainLine(event.sessionId, 80)}${event.model === null ? '' : `, model ${toPlainLine(event.model, 60)}`}`);
          return;
        case 'started':
        case 'thinking':
        case 'alive':
        case 'tool-denied':
        case 'usage':
          return;
      }
    },
  };
}
