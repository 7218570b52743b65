import { isTopicPattern } from '../core/index.ts';

const MAX_LENGTH = 200;

/** A pattern as it was probably meant: `build*` as `build.*`, `build done` as `build.done`; `null` where that cannot be told. */
export function repairPattern(text: string): string | null {
  const repaired = text
    .slice(0, MAX_LENGTH)
    .trim()
    .replace(/[\s/:,;]+/g, '.')
    .replace(/[^A-Za-z0-9_.*-]/g, '')
    .replace(/\*+/g, '*')
    .replace(/([^.])\*/g, '$1.*')
    .replace(/\*([^.])/g, '*.$1')
    .replace(/\.{2,}/g, '.')
    .replace(/^\.|\.$/g, '');
  return isTopicPattern(repaired) ? repaired : null;
}
