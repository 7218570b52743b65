import type { Terminal } from '../terminal.ts';
import type { RunPrinter } from './run-printer.ts';

/** A printer whose defects are not the run's: they are told once, and the run goes on. */
export function guardPrinter(printer: RunPrinter, { err }: Pick<Terminal, 'err'>): RunPrinter {
  let isTold = false;
  const guard =
    <Args extends readonly unknown[]>(print: (...args: Args) => void) =>
    (...args: Args): void => {
      try {
        print(...args);
      } catch (error) {
        if (!isTold)
          err(`ralph: something could not be shown (${error instanceof Error ? error.message : String(error)}); the run goes on.\n`);
        isTold = true;
      }
    };
  return { ...printer, begin: guard(printer.begin), show: guard(printer.show), end: guard(printer.end) };
}
