import { hasErrors } from '../findings/diagnostics.ts';
import { createSourceFile, type Diagnostic } from '../findings/located.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { translateForeign } from './translate-foreign.ts';

export interface Migration {
  /**
   * `migrated`: `text` is ours. `same`: there was nothing to change. `invalid`: there are errors in the YAML, `diagnostics` say which. `stuck`:
   * `diagnostics` say what is not our way, and none of it stands where it could be changed, such as a key that an alias or `<<` brings.
   */
  readonly outcome: 'migrated' | 'same' | 'invalid' | 'stuck';
  readonly text: string;
  /** What was changed, a sentence each, in the order of the text. */
  readonly changes: readonly string[];
  /** What has no equal here and was left out, with what takes its place. */
  readonly dropped: readonly string[];
  /** What held an agent and was left out, so that a person has to say it; absent for none. */
  readonly unheld?: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** What is still not our way in a migrated text. */
  readonly left: readonly Diagnostic[];
}

/**
 * Rewrites a configuration of ralph-orchestrator (v1 with flat keys, v2 with sections, or a file of hats) or of MassGen in our words. Comments stay; the
 * layout may change. What is ours already is left as it is.
 *
 * @param name how the text is called in findings
 */
export async function migrateText(text: string, name: string): Promise<Migration> {
  const { root, diagnostics } = parseYaml(createSourceFile(name, '', text));
  const nothing = { text, changes: [], dropped: [], diagnostics, left: [] };
  if (root === null || hasErrors(diagnostics)) return { ...nothing, outcome: 'invalid' };
  if ((root.entries.has('agents') || root.entries.has('agent')) && !root.entries.has('hats')) {
    const { migrateMassgen } = await import('./migrate-massgen.ts');
    const team = migrateMassgen(text);
    if (team !== null) return { outcome: 'migrated', ...team, diagnostics, left: findLeft(team.text, name) ?? [] };
  }
  const found = [...diagnostics, ...translateForeign(root).diagnostics];
  const { migrateDocument } = await import('./migrate-document.ts');
  const { text: migrated, changes, dropped } = migrateDocument(text);
  const left = findLeft(migrated, name);
  if (left === null) return { ...nothing, outcome: 'stuck', diagnostics: found };
  if (changes.length > 0 || dropped.length > 0) return { outcome: 'migrated', text: migrated, changes, dropped, diagnostics: found, left };
  const isStuck = left.some(({ code }) => code !== 'key-foreign');
  return isStuck ? { ...nothing, outcome: 'stuck', diagnostics: found } : { ...nothing, outcome: 'same', left };
}

/** What is not our way in a text; `null` where it cannot be read. */
function findLeft(text: string, name: string): readonly Diagnostic[] | null {
  const { root, diagnostics } = parseYaml(createSourceFile(name, '', text));
  return root === null || hasErrors(diagnostics) ? null : translateForeign(root).diagnostics;
}
