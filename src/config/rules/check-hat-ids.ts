import { EXTERNAL, RALPH, SYSTEM } from '../../core/index.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { quote } from '../value-finding.ts';
import { findingAt, type RuleInput } from './rule.ts';

const HAT_ID = /^[A-Za-z0-9_-]+$/;
const MAX_LENGTH = 100;
const RESERVED = [RALPH, EXTERNAL, SYSTEM];

/** Ids that agents, files and environment variables can carry. */
export function checkHatIds(input: RuleInput): readonly Diagnostic[] {
  return (input.hatIds ?? []).flatMap((id) => {
    const path = ['hats', id];
    if (!HAT_ID.test(id) || id.length > MAX_LENGTH) return [findingAt(input, path, toInvalid(id), 'key')];
    return RESERVED.includes(id) || id in Object.prototype ? [findingAt(input, path, toReserved(id), 'key')] : [];
  });
}

function toInvalid(id: string) {
  return {
    code: 'hat-id-invalid',
    severity: 'error',
    message: `${quote(id)} cannot be the id of a hat.`,
    why: 'Ids stand in events, file names and environment variables.',
    fix: `Use at most ${MAX_LENGTH} letters, digits, \`_\` and \`-\`; put any other name under \`name:\`.`,
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
