import { isTopicPattern, type Repair } from '../core/index.ts';
import type { LocatedValue } from './located-value.ts';
import type { Setting } from './setting.ts';

/** How a value that its setting does not take could be written; none where nobody can know what was meant. */
export function toValueRepairs(setting: Setting, value: LocatedValue): readonly Repair[] {
  if (value.kind !== 'scalar' || value.value === null || value.reference !== undefined) return [];
  const text = toMeant(setting, value.written, typeof value.value === 'string');
  return text === null ? [] : [{ title: `write \`${text}\``, isSafe: true, change: { kind: 'replace', text } }];
}

/** The repair that puts a known word in the place of an unknown one. */
export function toWordRepair(word: string, isSafe: boolean): Repair {
  return { title: `write \`${word}\``, isSafe, change: { kind: 'replace', text: word } };
}

function toMeant(setting: Setting, written: string, isText: boolean): string | null {
  if (written.length > 200) return null;
  if (setting.kind === 'flag') return /^(yes|on|true)$/i.test(written) ? 'true' : /^(no|off|false)$/i.test(written) ? 'false' : null;
  if (setting.kind === 'text' || setting.kind === 'line') return isText ? null : written;
  if (setting.kind !== 'pattern' || !written.includes('*')) return null;
  const pattern = toSegments(written);
  return isTopicPattern(pattern) ? pattern : null;
}

/** `build*` -> `build.*`: a star is a segment of its own. */
export function toSegments(pattern: string): string {
  return pattern
    .replace(/([^.*])\*/g, '$1.*')
    .replace(/\*+([^.*])/g, '*.$1')
    .replace(/\*{2,}/g, '*');
}
