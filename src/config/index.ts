/** Front door of `config`: YAML, environment and command line become settings, or findings with their places. */
export { type Diagnostic, hasErrors, type RelatedSpan, type ShownSpan, type Span, sortDiagnostics } from './diagnostic.ts';
export { diffSettings } from './digest.ts';
export { readEnvironment } from './environment.ts';
export { findConfigFile } from './find-config-file.ts';
export { type LoadedConfig, type LoadRequest, loadConfig } from './load-config.ts';
export type { ConfigFlags } from './overrides.ts';
export { parseYamlText } from './parse-yaml-text.ts';
export { type RenderOptions, renderDiagnostics } from './render-diagnostics.ts';
export type { ModelPrice, ObjectiveSource, PromptSettings, Settings, SettingsDigest } from './settings.ts';
export { toLabel } from './to-label.ts';
