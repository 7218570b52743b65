import type { DeclaredHat } from './settings-table.ts';

/** The names under which seeds and users write what wakes a hat; the first is ours. */
export const TRIGGER_KEYS = ['triggers', 'subscriptions', 'subscribes_to'] as const;

/** Topics and patterns that wake a hat, each once, whatever their key is called. */
export function triggersOf(hat: DeclaredHat): readonly string[] {
  const key = TRIGGER_KEYS.find((name) => hat[name] !== undefined);
  return key === undefined ? [] : [...new Set(hat[key])];
}
