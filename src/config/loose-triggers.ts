import { findNearMiss, isTopicPattern } from '../core/index.ts';
import type { LocatedMap, LocatedValue, Path } from './located-value.ts';
import { repairPattern } from './repair-pattern.ts';
import { TRIGGER_KEYS } from './trigger-names.ts';

/** Takes everything: for a hat of which nobody can say what it takes. */
const ANYTHING = ['*'];

/**
 * Topics as they were probably meant where a trigger could not be read, by hat, so that a mistake is told once: what such a hat would take is not
 * called an orphan as well.
 *
 * @param isBroken true where a finding says already that a part of the value is wrong
 */
export function readLooseTriggers(root: LocatedMap, isBroken: (path: Path) => boolean): Readonly<Record<string, readonly string[]>> {
  const hats = root.entries.get('hats')?.value;
  if (hats?.kind !== 'map') return {};
  const loose = new Map<string, readonly string[]>();
  for (const [id, entry] of hats.entries) {
    const triggers = isBroken(['hats', id]) ? readHat(id, entry.value, isBroken) : [];
    if (triggers.length > 0) loose.set(id, triggers);
  }
  return Object.fromEntries(loose);
}

function readHat(id: string, hat: LocatedValue, isBroken: (path: Path) => boolean): readonly string[] {
  if (hat.kind !== 'map' || isBroken(['hats', id, 'import'])) return ANYTHING;
  const misspelt = [...hat.entries].filter(([key]) => findNearMiss(key, ['triggers']) !== undefined && key !== 'triggers');
  return TRIGGER_KEYS.filter((key) => isBroken(['hats', id, key])).flatMap((key) => {
    const written = hat.entries.get(key)?.value;
    return written === undefined && misspelt.length > 0 ? misspelt.flatMap(([, entry]) => readMeant(entry.value)) : readTriggers(written);
  });
}

/** The triggers under a misspelt key, right ones and repaired ones. */
function readMeant(value: LocatedValue): readonly string[] {
  const items = value.kind === 'list' ? value.items : [value];
  const topics = items.map((item) =>
    item.kind === 'scalar' ? (isTopicPattern(item.written) ? item.written : repairPattern(item.written)) : null,
  );
  return topics.includes(null) ? ANYTHING : topics.filter((topic) => topic !== null);
}

function readTriggers(value: LocatedValue | undefined): readonly string[] {
  const items = value?.kind === 'list' ? value.items : [value];
  const texts = items.map((item) => (item?.kind === 'scalar' ? item.written : null));
  const wrong = texts.filter((text) => text === null || !isTopicPattern(text)).map((text) => (text === null ? null : repairPattern(text)));
  return wrong.length === 0 || wrong.includes(null) ? ANYTHING : [...new Set(wrong.filter((topic) => topic !== null))];
}
