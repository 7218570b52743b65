import { toLeafValue } from './leaf-value.ts';
import type { EffectiveOf, Keys, Setting, ValuesOf } from './setting.ts';

/** What was declared, with the defaults of the table for what was not. */
export function toEffective<K extends Keys>(keys: K, declared: ValuesOf<K> | undefined): EffectiveOf<K> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(keys)) {
    const given = declared === undefined ? undefined : (declared as Readonly<Record<string, unknown>>)[name];
    const value = given ?? toDefault(setting);
    if (value !== undefined) values[name] = value;
  }
  return values as EffectiveOf<K>;
}

/** The default in the unit of the checked value: the table has it as it would be written. */
function toDefault(setting: Setting): unknown {
  if (setting.default === undefined || setting.kind === 'list' || setting.kind === 'map') return setting.default;
  if (setting.kind === 'object' || setting.kind === 'backend' || setting.kind === 'publish') return undefined;
  if (setting.kind === 'schema' || setting.kind === 'later') return undefined;
  return toLeafValue(setting, setting.default as string | number | boolean);
}
