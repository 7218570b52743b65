import { ON_ASK } from '../../core/hooks/permission-spec.ts';
import type { Keys, ObjectSetting } from './setting.ts';

const RULE = { kind: 'line', doc: 'A rule `tool` or `tool(pattern)`, such as `bash(rm *)` or `Write(src/**)`.', verbatim: true } as const;

/** The keys of `permissions:`. */
const PERMISSION_KEYS = {
  deny: { kind: 'list', doc: 'Calls that are not made, whatever else says so.', items: RULE },
  ask: { kind: 'list', doc: 'Calls that a person is asked about before they are made.', items: RULE },
  allow: { kind: 'list', doc: 'Calls that are made and noted; a call that no rule names is made as well.', items: RULE },
  on_ask: {
    kind: 'choice',
    doc: 'What becomes of a call that a person is to be asked about where nobody is there: it is denied (the default), made, or waits until the deadline and is then denied.',
    values: ON_ASK,
  },
} as const satisfies Keys;

/** `permissions:`. */
export const PERMISSIONS = {
  kind: 'object',
  doc: 'Rules about calls of tools by the native agent.',
  keys: PERMISSION_KEYS,
} as const satisfies ObjectSetting;
