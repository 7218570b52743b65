import { stripVTControlCharacters } from 'node:util';
import { maskControls } from '../../core/index.ts';

/** What a program printed as a person would see it: no colours, a progress bar in its last state, nothing that a terminal would obey. Tabs stay. */
export function cleanOutput(text: string): string {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) =>
      toLastState(line)
        .split('\t')
        .map((part) => maskControls(part))
        .join('\t'),
    )
    .join('\n');
}

/** What is left of a line that a program has written over. */
function toLastState(line: string): string {
  const written = line.endsWith('\r') ? line.slice(0, -1) : line;
  return written.slice(written.lastIndexOf('\r') + 1);
}
