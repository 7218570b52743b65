import type { Diagnostic } from '../diagnostic.ts';
import { parseYaml } from '../parse-yaml.ts';
import { createSourceFile } from '../source-file.ts';
import { findMassgen } from './massgen.ts';
import { translateForeign } from './translate-foreign.ts';

/** What became of a configuration. */
export interface Migration {
  /**
   * `migrated`: `text` is ours. `same`: there was nothing to change. `massgen`: agents of MassGen, which become a panel once there are
   * panels. `invalid`: no configuration could be read, `diagnostics` say why.
   */
  readonly outcome: 'migrated' | 'same' | 'massgen' | 'invalid';
  readonly text: string;
  /** What was changed, a sentence each, in the order of the text. */
  readonly changes: readonly string[];
  /** What has no equal here and was left out, with what takes its place. */
  readonly dropped: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Rewrites a configuration of ralph-orchestrator (v1 with flat keys, v2 with sections, or a file of hats) in our words. Comments stay; the
 * layout may change. What is ours already is left as it is.
 *
 * @param name how the text is called in findings
 */
export async function migrateText(text: string, name: string): Promise<Migration> {
  const { root, diagnostics } = parseYaml(createSourceFile(name, '', text));
  const nothing = { text, changes: [], dropped: [], diagnostics };
  if (root === null) return { ...nothing, outcome: 'invalid' };
  if (findMassgen(root) !== null) return { ...nothing, outcome: 'massgen' };
  const found = translateForeign(root).diagnostics;
  const { migrateDocument } = await import('./migrate-document.ts');
  const { text: migrated, changes, dropped } = migrateDocument(text);
  if (changes.length === 0 && dropped.length === 0) return { ...nothing, outcome: 'same' };
  return { outcome: 'migrated', text: migrated, changes, dropped, diagnostics: [...diagnostics, ...found] };
}
