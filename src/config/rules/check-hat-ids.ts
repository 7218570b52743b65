import { RALPH } from '../../core/events/reserved.ts';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import { HAT_ID_PATTERN, MAX_HAT_ID_LENGTH, RESERVED_HAT_IDS } from '../keys/settings-table.ts';
import { findingAt, type RuleInput } from './rule.ts';

const HAT_ID = new RegExp(HAT_ID_PATTERN);

/** The id of a hat can stand in events, file names and environment variables. */
export function checkHatIds(input: RuleInput): readonly Diagnostic[] {
  return (input.hatIds ?? []).flatMap((id) => {
    const path = ['hats', id];
    if (!HAT_ID.test(id) || id.length > MAX_HAT_ID_LENGTH) return [findingAt(input, path, toInvalid(id), 'key')];
    return RESERVED_HAT_IDS.includes(id) ? [findingAt(input, path, toReserved(id), 'key')] : [];
  });
}

function toInvalid(id: string) {
  return {
    code: 'hat-id-invalid',
    severity: 'error',
    message: `${quote(id)} cannot be the id of a hat.`,
    why: 'Ids are used in events, file names and environment variables.',
    fix: `Use at most ${MAX_HAT_ID_LENGTH} letters, digits, \`_\` and \`-\`; put any other name under \`name:\`.`,
  } as const;
}

function toReserved(id: string) {
  return {
    code: 'hat-id-reserved',
    severity: 'error',
    message: `The id ${quote(id)} is taken.`,
    why: 'It already means something to the loop itself.',
    fix: id === RALPH ? 'Choose another id; settings of Ralph himself stand under `ralph:` at the top level.' : 'Choose another id.',
  } as const;
}
