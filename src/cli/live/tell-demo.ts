import type { Terminal } from '../terminal/terminal.ts';

export interface DemoWords {
  readonly heading: string;
  /** What is no part of the play. */
  readonly real: string;
}

/** Says what is about to happen, where, and that the test fails. */
export function tellBefore({ out, style }: Terminal, folder: string, passed: boolean, { heading, real }: DemoWords): void {
  out(
    [
      style('heading', heading),
      `What the model says was written beforehand: no key, no network, nothing to pay. The rest is real: ${real}.`,
      '',
      `  Folder  ${folder}`,
      `  Before  ${toTestLine(passed, style)}`,
      '',
      '',
    ].join('\n'),
  );
}

export function toTestLine(passed: boolean, style: Terminal['style']): string {
  return passed ? style('good', '✓ node --test passes') : style('bad', '✗ node --test fails');
}
