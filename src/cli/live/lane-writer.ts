import type { LineWriter } from '../terminal/line-writer.ts';
import type { Style } from '../terminal/terminal.ts';

/** A line of streamed text that is longer is written in pieces. */
const MAX_OPEN = 2000;

/**
 * Writes what belongs to one of several turns that run at the same time: in whole lines, each with the name of its hat in front, so that none goes on in the
 * line of another.
 */
export function createLaneWriter(writer: LineWriter, name: string, style: Style): LineWriter {
  const label = style('name', name);
  let open = '';
  const line = (text: string): void => writer.line(`  ${label}${text.startsWith('  ') ? text : `  ${text}`}`);
  const finish = (): void => {
    if (open !== '') line(open);
    open = '';
  };
  return {
    ...writer,
    line: (text) => {
      finish();
      line(text);
    },
    text: (text) => {
      const lines = (open + text).split('\n');
      open = lines.pop() ?? '';
      for (const whole of lines) line(whole);
      if (open.length > MAX_OPEN) finish();
    },
    finish,
    // Its end comes as a line of its own.
    openLine: finish,
    closeLine: () => false,
  };
}
