/** Front door of `config`: YAML, environment and command line become settings, or findings with their places. */
export { createConfigSchema } from './config-schema.ts';
export { type Diagnostic, hasErrors, type RelatedSpan, type Severity, type ShownSpan, type Span } from './diagnostic.ts';
export { diffSettings } from './digest.ts';
export { readEnvironment } from './environment.ts';
export { CONFIG_FILE_NAMES, findConfigFile } from './find-config-file.ts';
export { type LoadedSettings, type LoadRequest, loadSettings } from './load-settings.ts';
export { CONFIG_VARIABLES, type ConfigFlags } from './overrides.ts';
export { parseYamlText } from './parse-yaml-text.ts';
export { type RenderOptions, renderDiagnostics } from './render-diagnostics.ts';
export type { ModelPrice, ObjectiveSource, PromptSettings, Settings, SettingsDigest } from './settings.ts';
