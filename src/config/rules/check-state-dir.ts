import { type Diagnostic, findPlace } from '../findings/located.ts';
import { CONFIG_FILE_NAMES, CORE_KEYS } from '../keys/settings-table.ts';
import { findingAt, type RuleInput } from './rule.ts';

const PATH = ['core', 'state_dir'];

/** `state_dir` stands in the folder's own configuration: other commands read no other when they look for runs. */
export function checkStateDir(input: RuleInput): readonly Diagnostic[] {
  const stateDir = input.declared.core?.state_dir;
  if (stateDir === undefined || stateDir === CORE_KEYS.state_dir.default) return [];
  const { name } = findPlace(input.root, PATH).file;
  const isOwn = CONFIG_FILE_NAMES.some((own) => name === own || name.endsWith(`/${own}`));
  return isOwn ? [] : [findingAt(input, PATH, HIDDEN)];
}

const HIDDEN = {
  code: 'state-dir-hidden',
  severity: 'note',
  message: 'Other commands do not look for runs in this `state_dir`.',
  why: "`ralph status`, `ralph resume` and others read the folder's own configuration only.",
  fix: 'Write `core.state_dir` into `ralph.yml`.',
} as const;
