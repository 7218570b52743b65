/** Front door of `config`: YAML, environment and command line become settings, or findings with their places. */
export type { Diagnostic, RelatedSpan, Severity, ShownSpan, Span } from './diagnostic.ts';
export { diffSettings } from './digest.ts';
export { readEnvironment } from './environment.ts';
export { findConfigFile } from './find-config-file.ts';
export { type LoadedSettings, type LoadRequest, loadSettings } from './load-settings.ts';
export type { ConfigFlags } from './overrides.ts';
export { parseYamlText } from './parse-yaml-text.ts';
export { type RenderOptions, renderDiagnostics } from './render-diagnostics.ts';
export type { ModelPrice, ObjectiveSource, PromptSettings, Settings, SettingsDigest } from './settings.ts';
export { toLabel } from './to-label.ts';
