import type { Keys, MapSetting } from './setting.ts';

/** The keys of `events.<topic>`. */
const EVENT_KEYS = {
  description: { kind: 'text', doc: 'What the event says, in a sentence that agents and people read.', verbatim: true },
  schema: { kind: 'schema', doc: 'JSON Schema of the payload; an event with another payload is refused.', verbatim: true },
  schema_file: { kind: 'file', doc: 'A file with that JSON Schema, as JSON or YAML, relative to the configuration file.' },
} as const satisfies Keys;

/** `events:`. */
export const EVENTS = {
  kind: 'map',
  doc: 'What is known of topics beyond who publishes and takes them; each written out, no patterns.',
  values: { kind: 'object', doc: 'A topic.', keys: EVENT_KEYS },
} as const satisfies MapSetting;
