import * as z from 'zod';
import { toLeafSchema } from './leaf-schema.ts';
import type { Keys, ListSetting, Setting } from './setting.ts';
import { SETTINGS_TABLE } from './settings-table.ts';

/**
 * The settings table as one zod schema, with descriptions and defaults: what `z.toJSONSchema(schema, {io: 'input'})` and a
 * reference page are made from. Loading does not use it: a run would pay for it at its start.
 */
export function createConfigSchema(): z.ZodType {
  return toSchema(SETTINGS_TABLE);
}

function toSchema(setting: Setting): z.ZodType {
  const schema = toBareSchema(setting);
  const meta = setting.default === undefined ? {} : { default: setting.default };
  // A leaf's schema is shared by all who look the same: the words are put on a copy.
  return schema.meta({ description: setting.doc, ...meta });
}

function toBareSchema(setting: Setting): z.ZodType {
  switch (setting.kind) {
    case 'object':
      return toObjectSchema(setting.keys);
    case 'map':
      return z.record(z.string(), toSchema(setting.values));
    case 'list':
      return toListSchema(setting);
    case 'backend': {
      const one = z.union([toSchema(setting.name), toObjectSchema(setting.keys)]);
      return z.union([one, z.array(one).min(1)]);
    }
    case 'publish':
      return z.union([toSchema(setting.topic), toObjectSchema(setting.keys)]);
    case 'later':
      return z.unknown();
    default:
      return toLeafSchema(setting);
  }
}

function toListSchema(setting: ListSetting): z.ZodType {
  const item = toSchema(setting.items);
  const list = z.array(item);
  return z.union([setting.nonEmpty === true ? list.min(1) : list, item]);
}

function toObjectSchema(keys: Keys): z.ZodType {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, setting] of Object.entries(keys))
    shape[name] = setting.required === true ? toSchema(setting) : toSchema(setting).optional();
  return z.strictObject(shape);
}
