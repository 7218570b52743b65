/**
 * Front door of `config`: YAML, environment and command line become settings, or findings with their places. `load-config.ts` goes the whole way.
 *
 * A folder imports only folders to its left: `findings` (texts, places, values and findings in them) <- `yaml` (a text becomes values) <-
 * `keys` (the settings table, and values checked against it), `foreign` (keys of other tools) <- `layers` (files, imports, variables, assignments and
 * flags become one configuration) <- `compile` (it becomes settings) <- `rules` (what is wrong beyond single values), `effective` (what is in force and
 * where it came from), `edit` (places of findings about the flow, and repairs of the text). `settings.ts` and `environment.ts` import no folder.
 */

export { findProvider, toLabel } from './compile/compile-backends.ts';
export { toFoundGate } from './compile/compile-gates.ts';
export { diffSettings } from './compile/digest.ts';
export { applyEdits, type TextEdit } from './edit/text-edit.ts';
export { type EffectiveValue, toOriginText } from './effective/list-effective.ts';
export { renderSettingsYaml, toSettingsTree } from './effective/render-settings-yaml.ts';
export { readEnvironment } from './environment.ts';
export { hasErrors, MAX_OF_A_KIND, renderDiagnostics, sortDiagnostics, toExplainHint } from './findings/diagnostics.ts';
export type { Diagnostic, RelatedSpan, Span } from './findings/located.ts';
export { type Migration, migrateText } from './foreign/migrate-text.ts';
export { createJsonSchema } from './keys/create-json-schema.ts';
export { parseDurationMs } from './keys/setting-values.ts';
export { CONFIG_FILE_NAMES } from './keys/settings-table.ts';
export { findGuidePage, findPackageFolder, listPresets, type Preset, readPreset } from './layers/package-files.ts';
export { findConfigFile, MAX_CONFIG_BYTES } from './layers/read-config-file.ts';
export { type ReadText, readNamedFile, readTextFile, type TextFile } from './layers/read-text-file.ts';
export { type LoadedConfig, type LoadRequest, readConfig } from './load-config.ts';
export { type ConfigFlags, DEFAULT_HUMAN, DEFAULT_NEWS, findHooks, type ModelPrice, type Settings } from './settings.ts';
export { parseYamlText } from './yaml/parse-yaml.ts';
