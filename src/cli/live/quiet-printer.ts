import { toRowLines, toRunReport } from '../../views/index.ts';
import type { Terminal } from '../terminal.ts';
import type { RunPrinter } from './run-printer.ts';

const SHOWN = new Set(['Why', 'Cost', 'You', 'Next']);

/** Says nothing but how it ended. */
export function createQuietPrinter(terminal: Terminal): RunPrinter {
  return {
    showsStops: false,
    wantsFacts: true,
    begin: () => undefined,
    show: () => undefined,
    end: ({ view, ...facts }) => {
      const { headline, rows } = toRunReport(view, facts);
      const lines = toRowLines(
        rows.filter((row) => SHOWN.has(row.label)),
        { width: terminal.columns() },
      );
      terminal.out(`${[headline, ...lines].join('\n')}\n`);
    },
  };
}
